"""The material point method that foam and grains share: sparse tiles, transfers, walls at nodes, laws."""
