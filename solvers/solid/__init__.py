"""Elastoplastic solids on slave particles: from rubber to clay.

After 『Slave パーティクルを用いた弾塑性体シミュレーション』 (Saida, Fujisawa, Mikawa, University of Tsukuba). *Masters* are
the
material: they carry mass, velocity and the elastic deformation F_E. *Slaves* are moving computation points that follow the
body, so there is neither a grid nor a box around the scene.
"""
