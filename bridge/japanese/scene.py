"""In Japanese: world and surface."""

TABLE: dict[str, str] = {
    "Larger Grains": "粒も大きくする",
    "A preview makes grains larger, too. Off: they keep their size, and take as long as in the final bake":
        "プレビューでは粒も大きくします。切：大きさはそのままで、本番と同じ時間がかかります",
    # World
    "World": "ワールド",
    "Advanced": "詳細設定",
    "Quality": "品質",
    "Preview": "プレビュー",
    "Final": "最終",
    "As set": "設定のとおり",
    "How much of the detail is simulated": "どこまで細かく計算するか",
    "Coarser by Preview Detail: to see quickly how it moves": "プレビュー精細度だけ粗く：動きを素早く確認します",
    "Preview Detail": "プレビュー精細度",
    "Part of the resolution that a preview has. Half of it takes about a tenth of the time":
        "プレビューの解像度の割合。半分にすると時間は約 10 分の 1",
    "Scale": "スケール",
    "Metres simulated for each metre seen. 0.1: a two-metre model splashes as if it were twenty centimetres tall. Lengths"
    " and speeds shrink with it; gravity and materials stay as they are":
        "見かけの 1 メートルを何メートルとして計算するか。0.1：2 メートルの模型が 20 センチのようにはねます。"
        "長さと速さは縮み、重力と材料は変わりません",
    "Detail": "細かさ",
    "How the size of the particles is given": "粒子の大きさの決め方",
    "Resolution": "解像度",
    "Spacing": "間隔",
    "By the number of particles along the longest side of the bodies": "物体の一番長い辺の粒子数で",
    "By the distance between neighbouring particles": "隣り合う粒子の距離で",
    "Particles along the longest side of the largest body (or emitter, if there is no body)":
        "最大の物体（なければエミッター）の一番長い辺に並ぶ粒子の数",
    "Particle spacing": "粒子の間隔",
    "Distance between neighbouring particles": "隣り合う粒子の距離",
    "Spacing {length}": "間隔 {length}",
    "{count:,} particles": "{count:,} 粒子",
    "+ about {count:,} from emitters": "＋ エミッターから約 {count:,}",
    "Mark a body to see its particles": "物体に役割を付けると粒子数が出ます",
    "That is a lot: try a lower resolution first": "かなり多いです：まず低い解像度で試してください",
    "Gravity": "重力",
    "Acceleration of everything that is free to fall": "自由に落ちるものすべての加速度",
    "Scene Gravity": "シーンの重力",
    "Use the gravity of Blender's scene": "Blender のシーンの重力を使います",
    "Scene Range": "シーンの範囲",
    "Bake the frame range of Blender's scene": "Blender のシーンのフレーム範囲をベイクします",
    "Frames {first} to {last}": "フレーム {first} 〜 {last}",
    "Frame rate (1/s)": "フレームレート (1/s)",
    "Frames per second of the scene": "シーンの毎秒フレーム数",
    "First frame": "最初のフレーム",
    "Frame that shows the initial state": "初期状態を示すフレーム",
    "Last frame": "最後のフレーム",
    "Last frame to be baked": "ベイクする最後のフレーム",
    "Seed": "シード",
    "Another seed gives another arrangement of the particles": "シードを変えると粒子の並びが変わります",
    "Jitter": "ゆらぎ",
    "Irregularity of the first arrangement: 0 is a perfect lattice, 1 is as random as sand":
        "最初の並びの不規則さ：0 は完全な格子、1 は砂のように無秩序",
    "Threads": "スレッド",
    "Processor threads for the bake; 0: all. The result does not depend on it":
        "ベイクに使うスレッド数。0：すべて。結果は変わりません",
    "Cache Folder": "キャッシュフォルダー",
    "Where the bake is written. Empty: a folder of its own beside the .blend file":
        "ベイクの書き込み先。空：.blend の隣の専用フォルダー",
    "Checkpoint interval": "チェックポイントの間隔",
    "Frames between full states from which a bake can go on": "再開できる完全な状態を保存するフレーム間隔",
    "World limit": "ワールドの限界",
    "Particles farther than this from the middle of the scene are dropped and counted. 0: twenty times the size of the scene,"
    " 100 m at least":
        "シーンの中心からこれより遠い粒子は除かれ、数えられます。0：シーンの大きさの 20 倍、最低 100 m",
    "World box": "ワールドの箱",
    "Particles that leave a box of this size are dropped and counted. 0 along an axis: no limit there":
        "この大きさの箱を出た粒子は除かれ、数えられます。軸が 0：その方向に限界はありません",
    "Box center": "箱の中心",
    "Where the middle of the world box is": "ワールドの箱の中心の位置",
    "Drain": "排水口",
    "It swallows what enters it, and blocks nothing. Its mesh must be closed; it may be animated":
        "中に入ったものを飲み込み、何も止めません。閉じたメッシュが必要で、アニメーションできます",
    "{count:,} particles went down drains": "{count:,} 粒子が排水口に入りました",
    "{count:,} particles left the world": "{count:,} 粒子がワールドから出ました",
    "{count:,} particles found no room to leave their emitters": "{count:,} 粒子はエミッターから出る場所がありませんでした",
    # Surface
    "Surface": "サーフェス",
    "Write an OpenVDB surface for every frame": "フレームごとに OpenVDB サーフェスを書き出します",
    "Voxel size": "ボクセルサイズ",
    "Edge of a surface voxel in particle spacings; smaller is finer": "ボクセルの辺（粒子間隔単位）。小さいほど細かい",
    "Blend radius": "ブレンド半径",
    "Reach of a particle in spacings; larger is rounder": "粒子の届く距離（間隔単位）。大きいほど丸くなります",
    "Smoothing": "スムージング",
    "3-D Gaussian filter of the density volume": "密度ボリュームの 3D ガウシアンフィルター",
    "As the particles lie": "粒子のまま",
    "3 × 3 × 3": "3 × 3 × 3",
    "Light smoothing": "弱いスムージング",
    "5 × 5 × 5": "5 × 5 × 5",
    "Strong smoothing": "強いスムージング",
    "By material": "マテリアルに従う",
    "Satin for foam, 3 × 3 × 3 for everything else": "泡はサテン、ほかはすべて 3 × 3 × 3",
    "Satin": "サテン",
    "Hides the particles and keeps ridges and peaks, whatever the voxel size":
        "粒子を隠しながら、ひだと角を残します。ボクセルの大きさによりません",
    "Thin sheets": "薄い膜",
    "Stretch each particle's blob along its neighbours, so that sheets and threads are smooth and thin":
        "粒子の塊を隣に沿って伸ばし、膜や糸を滑らかで薄くします",
    "Tension (N/m)": "張力 (N/m)",
    "Spray": "しぶき",
    "Size of drops that fly alone: 1 is as large as their volume, smaller calms a splash down, 0 leaves them out":
        "単独で飛ぶしずくの大きさ：1 は体積どおり、小さくすると飛沫が落ち着き、0 では表示しません",
    "Wall overlap": "壁への食い込み",
    "How far the surface enters a wall it touches, in spacings, so that no gap shows":
        "触れた壁にサーフェスが入る深さ（間隔単位）。隙間が見えないように",
    "Write a velocity grid for motion blur": "モーションブラー用の速度グリッドを書き出します",
}  # fmt: skip
