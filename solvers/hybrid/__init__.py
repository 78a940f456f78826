"""Grains as a continuum, and the hybrid of both (see docs/materials/grains.md).

After 「ハイブリッドな粉粒体シミュレーション手法の開発」 (楽 詠灝, Smith, Chen, Chantharayukhonthorn, Kamrin, Grinspun), with
its numbers of equations.
"""
