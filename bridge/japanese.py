"""The interface in Japanese: what Blender shows in English on the left, what it shows instead on the right.

One table for labels, help texts, buttons and messages. A test names every text that is shown and missing here.
"""

TABLE: dict[str, str] = {
    # Roles and objects
    "Tsubu": "Tsubu 粒",
    "None": "なし",
    "Water": "水",
    "Grains": "粒状体",
    "Foam": "泡",
    "Collider": "コライダー",
    "Emitter": "エミッター",
    "Role": "役割",
    "Material": "材料",
    "Objects": "オブジェクト",
    "Mark": "役割を付ける",
    "Select": "選択",
    "Output": "出力",
    "Takes no part in the simulation": "シミュレーションに参加しません",
    "A wall that everything collides with": "すべてのものがぶつかる壁",
    "A mesh from which a material flows": "材料が流れ出るメッシュ",
    "Splashing, pouring, filling": "はねる、注ぐ、満たす",
    "Sand, gravel, sugar: pouring, piling, jamming": "砂、砂利、砂糖：注ぐ、積もる、詰まる",
    "Cream, paste, meringue": "クリーム、ペースト、メレンゲ",
    "What the object is in the simulation": "シミュレーションでのオブジェクトの役割",
    "What the objects are in the simulation": "シミュレーションでのオブジェクトの役割",
    "What flows out of the emitter": "エミッターから流れ出るもの",
    "Mark the selected objects for the simulation": "選択したオブジェクトに役割を付けます",
    "Select a mesh to mark it": "メッシュを選択して役割を付けてください",
    "Select the objects to mark": "役割を付けるオブジェクトを選択してください",
    "None of the selected objects has a surface; select a mesh":
        "選択したオブジェクトに面がありません。メッシュを選択してください",
    "Nothing is marked yet": "まだ何にも役割がありません",
    "Nothing is marked yet: select a mesh and mark it as a body or an Emitter":
        "まだ何にも役割がありません：メッシュを選択して物体かエミッターにしてください",
    "{name} is linked: its settings are used as they are in its own file":
        "{name} はリンクです：元のファイルの設定がそのまま使われます",
    "... and {count} more": "…ほか {count} 個",
    "Copy to Selected": "選択物へコピー",
    "Give the other selected objects the role and the settings of the active one":
        "アクティブオブジェクトの役割と設定を、選択中のほかのオブジェクトに与えます",
    "The active object has no role to copy": "アクティブオブジェクトにコピーする役割がありません",
    "Select the objects to copy to, and last the one to copy from": "コピー先を選択し、最後にコピー元を選択してください",
    "Mark Collection": "コレクション全体に役割",
    "Mark every object of the active collection, with what is in the collections inside it":
        "アクティブコレクションとその中のコレクションの全オブジェクトに役割を付けます",
    "The active collection is empty: choose one in the outliner":
        "アクティブコレクションが空です：アウトライナーで選んでください",
    "Role Colors": "役割の色",
    "Outline marked objects in the color of their role in 3-D views. Never rendered":
        "3D ビューで役割の色の輪郭を描きます。レンダリングはされません",
    "Particle Spacing": "粒子の間隔",
    "Dots on the active body as far apart as its particles will be": "アクティブな物体に、粒子の間隔で点を描きます",
    "Name of the point and surface files. Bodies and emitters with the same name share one surface; empty: the kind decides":
        "点とサーフェスのファイル名。同じ名前の物体とエミッターは一つのサーフェスになります。空：種類で決まります",
    "Preset": "プリセット",
    "The material": "材料",
    "Settings of a known material, as a starting point. Particle size and method stay as they are":
        "よく知られた材料の設定を出発点にします。粒子の大きさと手法は変わりません",
    "The active object is marked as nothing that has presets": "アクティブオブジェクトの役割にはプリセットがありません",
    "Stones": "石",
    "Show Stones": "石で表示",
    "Tone": "色調",
    "Sand": "砂",
    "Gravel": "砂利",
    "Sugar or Snow": "砂糖・雪",
    "Colour of the stones": "石の色",
    "Sand: every stone has a tint of its own": "砂：石ごとに色合いが違います",
    "Gravel: every stone has a tint of its own": "砂利：石ごとに色合いが違います",
    "Sugar or Snow: every stone has a tint of its own": "砂糖・雪：石ごとに色合いが違います",
    "Make a few broken stones and show one on every grain, turned and scaled with it":
        "割れた石をいくつか作り、粒ごとに向きと大きさを合わせて表示します",
    "Select a body or an emitter of Grains": "粒状体の物体かエミッターを選択してください",
    # Settings of bodies
    "Physical Values": "物理量",
    "Velocity": "速度",
    "Spin": "回転",
    "Spin (rad/s)": "回転 (rad/s)",
    "Velocity of the body at the first frame": "最初のフレームでの物体の速度",
    "Turning at the first frame about the middle of the body, as angle per second":
        "最初のフレームでの、物体の中心まわりの回転（毎秒の角度）",
    "Density (kg/m³)": "密度 (kg/m³)",
    "Viscosity (Pa·s)": "粘度 (Pa·s)",
    "Mass of one cubic metre; fresh water is 1000": "1 立方メートルの質量。真水は 1000",
    "Water 0.001, olive oil 0.08, honey 10": "水 0.001、オリーブ油 0.08、蜂蜜 10",
    "Scheme": "スキーム",
    "How pressure is found": "圧力の求め方",
    "Incompressible": "非圧縮",
    "Divergence-free and constant-density: large steps, volume kept": "発散ゼロ・密度一定：大きな時間刻み、体積を保存",
    "Weakly compressible": "弱圧縮性",
    "The paper's explicit scheme: small steps, kept as the reference": "論文の陽解法：小さな時間刻み。参照用",
    "Courant number": "クーラン数",
    "Farthest a particle moves in one step, in particle spacings": "1 ステップで粒子が動く最大距離（粒子間隔単位）",
    "Farthest an elastic wave travels in one step, in grid cells": "1 ステップで弾性波が進む最大距離（格子セル単位）",
    "Density error": "密度誤差",
    "Mean compression at which the incompressible solver is satisfied; 0.001 is 0.1 %":
        "非圧縮ソルバーが満足する平均圧縮率。0.001 は 0.1 %",
    "Speed of sound": "音速",
    "Reference scheme only. 0: ten times the fastest speed that gravity allows in the scene":
        "参照スキームのみ。0：シーンで重力が与える最大速度の 10 倍",
    "Wall friction": "壁との摩擦",
    "Friction against colliders; what acts is the geometric mean of this and the collider's own friction":
        "コライダーとの摩擦。コライダー自身の摩擦との幾何平均が働きます",
    "Grain size": "粒径",
    "Mean diameter of a grain": "粒の平均直径",
    "Size spread": "粒径のばらつき",
    "Diameters differ by up to this part; 0 makes piles crystallise like oranges":
        "直径のばらつきの最大割合。0 では積んだオレンジのように結晶化します",
    "Grain density (kg/m³)": "粒の密度 (kg/m³)",
    "Mass of one cubic metre of solid grain: quartz 2650, sugar 1590, rice 1450, snow 500":
        "粒そのもの 1 立方メートルの質量：石英 2650、砂糖 1590、米 1450、雪 500",
    "Friction angle": "摩擦角",
    "Slope that grains on grains just hold": "粒どうしがちょうど支えられる斜面の角度",
    "Restitution": "反発係数",
    "Speed after a head-on hit over the speed before: 0 is clay, 1 is ideal steel":
        "正面衝突の後と前の速さの比：0 は粘土、1 は理想的な鋼",
    "Rolling resistance": "転がり抵抗",
    "Balls 0, sand 0.1, sharp gravel 0.3: what corners and edges do that spheres lack":
        "球 0、砂 0.1、角ばった砂利 0.3：球にはない角や縁の効果",
    "Cohesion (Pa)": "粘着力 (Pa)",
    "Tensile strength of the packing: dry 0, moist sand 500 to 2000": "充填体の引張強さ：乾燥 0、湿った砂 500〜2000",
    "Method": "手法",
    "How the inside of the material is simulated": "材料の内部の計算方法",
    "All grains": "すべて粒",
    "Every grain on its own: the reference, and the only choice for few or very large grains":
        "粒を一つずつ計算：基準となる方法。少数の粒や大きな粒ではこれだけ",
    "Hybrid (unfinished)": "ハイブリッド（開発中）",
    "Grains at surfaces and openings, a continuum inside. Flows too slowly yet":
        "表面と開口は粒、内部は連続体。まだ流れが遅すぎます",
    "Continuum only (unfinished)": "連続体のみ（開発中）",
    "No single grains: cannot clog. Flows too slowly through openings yet":
        "個々の粒なし：詰まりません。まだ開口の流れが遅すぎます",
    "Walls need no grains": "壁際は粒にしない",
    "Hybrid only. On: grains at free surfaces, openings and moving colliders. Off: also along walls that stand still":
        "ハイブリッドのみ。オン：自由表面、開口、動くコライダーで粒。オフ：静止した壁に沿っても粒",
    "Firmness (Pa)": "硬さ (Pa)",
    "Shear modulus µ: how stiff it is before it yields": "せん断弾性率 µ：降伏する前の硬さ",
    "Yield (Pa)": "降伏応力 (Pa)",
    "Yield stress in tension σ_Y: how hard one must push before it flows; in shear it yields at σ_Y/√3. 0: a liquid":
        "引張の降伏応力 σ_Y：流れ出すまでに必要な力。せん断では σ_Y/√3。0：液体",
    "Thickness (Pa·sᵐ)": "とろみ (Pa·sᵐ)",
    "Viscosity η once it flows. 0: it yields without any further resistance":
        "流れ始めた後の粘度 η。0：降伏後は抵抗なし",
    "Thinning": "流動指数",
    "Exponent m: below 1 it gets thinner the faster it is sheared, 1 is a Bingham fluid, above 1 it thickens":
        "指数 m：1 未満は速くせん断するほど薄く、1 はビンガム流体、1 より大は濃くなる",
    "Volume stiffness": "体積剛性",
    "Bulk modulus κ in multiples of the firmness: higher keeps the volume better and needs more steps":
        "体積弾性率 κ（硬さの倍数）：大きいほど体積が保たれ、ステップが増えます",
    "Mass of one cubic metre: shaving cream 80, whipped cream 450, mayonnaise 900, concrete 2300":
        "1 立方メートルの質量：シェービングクリーム 80、ホイップクリーム 450、マヨネーズ 900、コンクリート 2300",
    "Solid": "固体",
    "Rubber, jelly, dough, clay: bounces, dents, tears": "ゴム、ゼリー、生地、粘土：弾み、へこみ、ちぎれる",
    "Stiffness (Pa)": "剛さ (Pa)",
    "Young's modulus E: jelly 5 kPa, soft rubber 1 MPa, tyre 10 MPa":
        "ヤング率 E：ゼリー 5 kPa、柔らかいゴム 1 MPa、タイヤ 10 MPa",
    "Squash": "横へのふくらみ",
    "Dents": "へこむ",
    "Off: it always springs back. On: beyond the yield points it keeps its new shape":
        "オフ：必ず元に戻る。オン：降伏点を超えると新しい形のまま",
    "Dents at": "へこむ限界",
    "Stretches at": "伸びる限界",
    "Toughness": "粘り強さ",
    "Keeps volume": "体積を保つ",
    "Hardening": "硬化",
    "Deform the mesh": "メッシュを変形",
    "Besides points and surface, write the object's own mesh as it deforms, with its UVs and materials":
        "点と表面のほかに、UV とマテリアルを保ったまま変形するメッシュを書き出します",
    "Shape memory": "形状記憶",
    "Implicitness": "陰性度",
    "Liveliness": "活発さ",
    "Slave spacing": "スレーブ間隔",
    "New slaves": "スレーブの追加",
    "Stiff step": "硬い刻み",
    "Tearing": "ちぎれ",
    "Off: it never tears and draws endless threads": "オフ：ちぎれず、どこまでも糸を引きます",
    "Stringiness": "糸引き",
    "How many times its length a strand can be drawn out before it tears": "ちぎれるまでに何倍まで伸びるか",
    "Resampling": "再サンプリング",
    "Fill holes that stretching leaves between the particles, and merge crowded ones":
        "伸びて空いた粒子の隙間を埋め、込み合った粒子をまとめます",
    "Transfer": "転写",
    "How particles and grid exchange momentum": "粒子と格子の運動量のやり取り",
    "APIC": "APIC",
    "Affine: keeps rotation, no noise": "アフィン：回転を保ち、ノイズなし",
    "PIC/FLIP": "PIC/FLIP",
    "A blend: livelier, noisier": "混合：より活発で、ノイズも多い",
    "FLIP share": "FLIP の割合",
    "0 is PIC (damped), 1 is FLIP; PIC/FLIP only": "0 は PIC（減衰）、1 は FLIP。PIC/FLIP のみ",
    "Steps": "ステップ",
    "How long a time step is": "時間刻みの長さ",
    "Automatic": "自動",
    "Large steps where they are much longer than explicit ones, else explicit":
        "陽解法よりずっと長くできるところは大きな刻み、ほかは陽解法",
    "Explicit": "陽解法",
    "Many cheap steps that follow the speed of sound": "音速に従う、軽いステップを多数",
    "Large": "大きな刻み",
    "Few steps with a solve each: stiff foam that moves slowly": "少ないステップでその都度解く：ゆっくり動く硬い泡",
    # Colliders and emitters
    "Friction": "摩擦",
    "Coulomb friction: 0 is ice, 1 is rubber": "クーロン摩擦：0 は氷、1 はゴム",
    "Two-sided if open": "開いていれば両面",
    "An open mesh (a sheet, a cup without thickness) blocks from both sides. Closed meshes always block from outside":
        "開いたメッシュ（シート、厚みのないカップ）は両面から遮ります。閉じたメッシュは常に外側から遮ります",
    "Active": "有効",
    "Off: nothing collides with this object": "オフ：何もこのオブジェクトにぶつかりません",
    "Off: nothing leaves this object": "オフ：このオブジェクトから何も出ません",
    "Contact": "接触",
    "What foam and sand do where they touch this object": "泡と砂がこのオブジェクトに触れたときの振る舞い",
    "Separate": "離れる",
    "They slide with friction and may leave; adhesion holds them back": "摩擦で滑り、離れられます。付着力が引き止めます",
    "Slip": "滑る",
    "They slide freely and do not leave": "自由に滑り、離れません",
    "Stick": "くっつく",
    "They move with the object": "オブジェクトと一緒に動きます",
    "Adhesion (Pa)": "付着力 (Pa)",
    "Pull that foam on this object withstands before it lets go: 0 is dry, 20 is cream on glass, 200 is glue":
        "泡がはがれるまでに耐える引張：0 は乾燥、20 はガラスの上のクリーム、200 は糊",
    "Free": "自由",
    "Gravity, grains and colliders move it; it must be closed and not animated":
        "重力、粒、コライダーで動きます。閉じていて、アニメーションがないこと",
    "Mass": "質量",
    "Free only. 0: by its density": "自由な物体のみ。0：密度から計算",
    "Free only: wood 600, steel 7800; does not count if a mass is given":
        "自由な物体のみ：木 600、鋼 7800。質量を与えた場合は使われません",
    "Free only: at the first frame": "自由な物体のみ：最初のフレームで",
    "Free only: turning at the first frame": "自由な物体のみ：最初のフレームでの回転",
    "Driven spin": "駆動回転",
    "Free only: the spin is kept whatever happens, as of a wheel on an engine":
        "自由な物体のみ：エンジンの車輪のように、回転が常に保たれます",
    "Bounce": "弾み",
    "Free only: speed after hitting a collider over the speed before": "自由な物体のみ：コライダーに当たった後と前の速さの比",
    "Speed": "速さ",
    "Speed of what leaves the mesh": "メッシュから出るものの速さ",
    "Direction": "方向",
    "Where it flows; only the direction counts": "流れる向き。方向だけが使われます",
    "Flow rate (m³/s)": "流量 (m³/s)",
    "Volume per second. 0: as much as the mesh's cross-section lets through at the given speed":
        "毎秒の体積。0：メッシュの断面を指定の速さで通る量",
    "Start": "開始",
    "When it begins, in seconds from the first frame": "始まる時刻（最初のフレームからの秒）",
    "End": "終了",
    "When it ends, in seconds from the first frame": "終わる時刻（最初のフレームからの秒）",
    "Inherit motion": "動きを受け継ぐ",
    "How much of the emitter's own velocity is passed on": "エミッター自身の速度を渡す割合",
    # Solids and what lies between materials
    "Between Materials": "材料どうし",
    "Pairs": "組み合わせ",
    "Poisson's ratio ν: how much it bulges sideways when pressed. 0: cork, 0.3: snow, 0.45 and more: rubber, jelly":
        "ポアソン比 ν：押すと横にどれだけふくらむか。0：コルク、0.3：雪、0.45 以上：ゴム、ゼリー",
    "Mass of one cubic metre: snow 400, rubber 1100, dough 1100, clay 1800":
        "1 立方メートルの質量：雪 400、ゴム 1100、生地 1100、粘土 1800",
    "Squeeze θ_c it takes without a lasting dent: 0.02 is 2 % of its length. Less: dents more easily":
        "へこみが残らない圧縮 θ_c：0.02 は長さの 2 %。小さいほどへこみやすい",
    "Stretch θ_s it takes without staying longer: 0.01 is 1 % of its length": "伸びが残らない引張 θ_s：0.01 は長さの 1 %",
    "Gets stiffer where it is packed and softer where it is loosened (ξ); snow is 10, others 0":
        "詰まると硬く、緩むと柔らかくなります (ξ)。雪は 10、ほかは 0",
    "On: only its shape yields, as in clay and dough. Off: it can be packed, as snow can":
        "オン：粘土や生地のように形だけが降伏。オフ：雪のように押し固められます",
    "Plastic stretch it bears before it tears: 0.1 crumbles, 10 draws strings like chewing gum":
        "ちぎれるまでに耐える塑性の伸び：0.1 はくずれ、10 はガムのように糸を引きます",
    "Between this and other solids; at colliders their own counts":
        "ほかの固体との間の値。コライダーではコライダー側の値を使います",
    "Share of the particles' own velocity that is kept (1 − α): more is livelier and noisier":
        "粒子自身の速度を残す割合 (1 − α)：大きいほど活発でノイズも増えます",
    "Rest shape": "静止形状",
    "Measured against the shape at the first frame: it returns exactly and bounces well":
        "最初のフレームの形を基準にします：正確に戻り、よく弾みます",
    "Added up": "積算",
    "The paper's scheme: step by step; calmer, may creep": "論文の方式：1 ステップずつ。穏やかですが、ずれることがあります",
    "How the deformation of a body without Dents is followed; one with Dents always adds it up":
        "へこまない物体の変形の追い方。へこむ物体は常に積算です",
    "Where in a step forces are taken (θ): 0.5 keeps all energy and rings, 1 calms fastest":
        "ステップのどこで力を取るか (θ)：0.5 はエネルギーを保って振動し、1 は最も早く静まります",
    "How far an elastic wave may travel in one step, in slave spacings: more is faster and calmer":
        "1 ステップで弾性波が進める距離（従属粒子の間隔単位）：大きいほど速く穏やか",
    "Distance between computation points in particle spacings; 1 is the paper's. 0: 2 without Dents, 1.25 with":
        "計算点の間隔（粒子間隔単位）。1 は論文の値。0：へこみなしは 2、ありは 1.25",
    "Where computation points are added to what is drawn apart": "引き離された部分に計算点を追加する場所",
    "Where none is": "無い場所",
    "Every place within reach of the material gets one": "材料の届くすべての場所に置きます",
    "Where neighbours part": "隣が離れた場所",
    "The paper's rule: beside particles whose neighbours have gone away": "論文の規則：隣が離れていった粒子のそば",
    # Drops
    "Drops": "しずく",
    "Dew, puddles, drops that stick, slide and drip": "露、水たまり、くっつき、滑り、したたるしずく",
    "Mass of one cubic metre; water is 998": "1 立方メートルの質量。水は 998",
    "Surface tension": "表面張力",
    "Surface tension (N/m)": "表面張力 (N/m)",
    "How strongly the surface pulls itself together: water 0.073, soapy water 0.025, mercury 0.49":
        "表面が縮もうとする強さ：水 0.073、石けん水 0.025、水銀 0.49",
    "Contact angle": "接触角",
    "Painted by": "ペイント",
    "Tension": "張力",
    "Whether splashes leave drops that bead, hang and merge, by the colliders' contact angles":
        "しぶきが、コライダーの接触角に従って玉になり、ぶら下がり、合体する水滴を残すかどうか",
    "Where the particles are fine enough to show it: spacing up to 1.3 mm for water":
        "粒子が十分に細かいところで：水なら間隔 1.3 mm まで",
    "Always; particles act as drops of their size. Takes about twice the time":
        "常に：粒子はその大きさの水滴としてふるまいます。時間は約 2 倍かかります",
    "Vertex group that thins the flow: nothing leaves where its weight is 0, the full flow where it is 1":
        "流れを薄くする頂点グループ：ウェイト 0 では出ず、1 では全量が出る",
    "Keep the active object's settings as a preset of your own for its material, in Blender's presets folder":
        "アクティブオブジェクトの設定を、その素材の自分用プリセットとして Blender のプリセットフォルダーに保存",
    "Delete the preset of your own that was chosen last": "最後に選んだ自分用プリセットを削除",
    "Known materials, then presets of your own": "既知の素材、続いて自分用のプリセット",
    "Presets": "プリセット",
    "Save Preset": "プリセットを保存",
    "Never": "しない",
    "Off": "オフ",
    "On": "オン",
    "Painted angle": "ペイント先の接触角",
    "Painted friction": "ペイント先の摩擦",
    "Vertex group that leads from the contact angle (weight 0) to the painted angle (weight 1)":
        "接触角（ウェイト 0）からペイント先の接触角（ウェイト 1）へ変える頂点グループ",
    "Vertex group that leads from the friction (weight 0) to the painted friction (weight 1)":
        "摩擦（ウェイト 0）からペイント先の摩擦（ウェイト 1）へ変える頂点グループ",
    "Contact angle where the vertex group's weight is 1: a leaf that is waxy in the middle":
        "頂点グループのウェイトが 1 の場所の接触角：まん中だけろう質の葉など",
    "Coulomb friction where the vertex group's weight is 1": "頂点グループのウェイトが 1 の場所のクーロン摩擦",
    "How drops sit on this object: 20 is clean glass, 70 is plastic, 110 is wax, 160 is a lotus leaf":
        "しずくの乗り方：20 はきれいなガラス、70 はプラスチック、110 は蝋、160 は蓮の葉",
    "Angle hysteresis": "接触角ヒステリシス",
    "Advancing minus receding contact angle: drops stick to a slope until gravity overcomes it":
        "前進角と後退角の差：重力が勝つまで、しずくは斜面にくっつきます",
    "Calming": "鎮静",
    "Least viscosity, in multiples of √(tension × spacing × density): lets drops come to rest; 0 leaves them ringing":
        "最小の粘性（√(張力 × 間隔 × 密度) の倍数）：しずくを静めます。0 では揺れ続けます",
    "How the liquid holds together": "液体のまとまり方",
    "Physical: density, tension, viscosity and contact angles as set": "物理モデル：設定した密度、張力、粘度、接触角",
    "Replication": "論文の再現",
    "The paper's raw model with its own numbers; contact angles of colliders are ignored":
        "論文のモデルと数値そのまま。コライダーの接触角は無視されます",
    "Farthest a particle moves between two looks at the walls": "壁を調べ直すまでに粒子が動く最大距離",
    "Interfacial tension": "界面張力",
    "Linear viscosity": "線形粘性",
    "Square viscosity": "二次粘性",
    "Near pressure": "近接圧力",
    "Pressure": "圧力",
    "Rest density": "静止密度",
    "Threshold": "しきい値",
    "Time step": "時間刻み",
    "Replication: c of (3.12)": "再現：式 (3.12) の c",
    "Replication: k_ift (3.12)": "再現：式 (3.12) の k_ift",
    "Replication: k_near of (3.6)": "再現：式 (3.6) の k_near",
    "Replication: k_pressure of (3.3)": "再現：式 (3.3) の k_pressure",
    "Replication: Δt of the paper, 0.03 ms": "再現：論文の Δt、0.03 ms",
    "Replication: β of (3.8)": "再現：式 (3.8) の β",
    "Replication: ρ₀ of (3.3)": "再現：式 (3.3) の ρ₀",
    "Replication: σ of (3.8)": "再現：式 (3.8) の σ",
    "Hybrid": "ハイブリッド",
    "Single grains at surfaces, openings and moving colliders, a continuum inside":
        "表面、開口、動くコライダーでは粒、内部は連続体",
    "Continuum only": "連続体のみ",
    "No single grains: fastest, cannot clog. Openings should be a dozen grains wide":
        "個々の粒なし：最も速く、詰まりません。開口は粒の 12 個分以上に",
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
    "Wall overlap": "壁への食い込み",
    "How far the surface enters a wall it touches, in spacings, so that no gap shows":
        "触れた壁にサーフェスが入る深さ（間隔単位）。隙間が見えないように",
    "Write a velocity grid for motion blur": "モーションブラー用の速度グリッドを書き出します",
    # Bake
    "Bake": "ベイク",
    "Simulate all frames in a process of its own and write them to the cache folder. Deletes an earlier bake of this scene":
        "別プロセスで全フレームを計算し、キャッシュフォルダーに書き込みます。このシーンの以前のベイクは削除されます",
    "Bake Again": "もう一度ベイク",
    "Delete the baked frames of this scene and simulate all of them again":
        "このシーンのベイク済みフレームを削除し、すべて計算し直します",
    "Bake again from the first frame?": "最初のフレームからベイクし直しますか？",
    "Bake cancelled before it began": "ベイクは始まる前にキャンセルされました",
    "Resume": "再開",
    "Continue the bake where it stopped, or with a longer frame range":
        "止まったところから、または延長した範囲でベイクを続けます",
    "Extend": "延長",
    "Add frames at the end of the range and bake them; the finished ones stay":
        "範囲の終わりにフレームを足してベイクします。完了したフレームは残ります",
    "Frames": "フレーム数",
    "How many frames to add": "追加するフレーム数",
    "Redo from Frame": "フレームからやり直す",
    "Redo from Frame {frame}": "フレーム {frame} からやり直す",
    "Keep the frames before this one and bake it and all later ones again":
        "このフレームより前を残し、以降をベイクし直します",
    "Frame": "フレーム",
    "First frame to bake again": "ベイクし直す最初のフレーム",
    "Cancel": "キャンセル",
    "Stop the bake. Finished frames stay, and the bake can be resumed": "ベイクを止めます。完了したフレームは残り、再開できます",
    "Delete the baked frames of this scene and the objects that play them. Settings and materials stay":
        "ベイク済みフレームと再生オブジェクトを削除します。設定とマテリアルは残ります",
    "Delete the baked frames?": "ベイク済みフレームを削除しますか？",
    "Delete": "削除",
    "Reset": "リセット",
    "Get out of any stuck state: end what runs, forget errors and half-read scenes. Finished frames stay":
        "固まった状態から抜けます：実行中のものを終え、エラーを忘れます。完了したフレームは残ります",
    "Open Log": "ログを開く",
    "Show what the worker wrote, in a text editor": "ワーカーの記録をテキストエディターで表示します",
    "Take Over": "引き継ぐ",
    "Make the bake that this scene was copied with its own. The scene or file it came from loses it":
        "コピー元のベイクをこのシーンのものにします。元のシーンやファイルからは外れます",
    "Take the bake over?": "ベイクを引き継ぎますか？",
    "Watch Bake": "ベイクを見守る",
    "Follow a running bake: status, playback, Esc to cancel": "実行中のベイクを追います：状態、再生、Esc でキャンセル",
    "Check Frames": "フレームを確認",
    "Show which frames of this scene's bakes are missing or damaged": "このシーンのベイクで欠けた、壊れたフレームを表示します",
    "Every frame of this scene's range is baked": "このシーンの範囲はすべてベイク済みです",
    "The picture would show other frames than the scene asks for:": "画像には、シーンが求めるものと違うフレームが写ります：",
    "Free Space": "容量を空ける",
    "What": "対象",
    "What is deleted": "削除するもの",
    "Delete parts of the bake that can be made again. Points stay": "作り直せる部分を削除します。点は残ります",
    "Checkpoints": "チェックポイント",
    "Surfaces": "サーフェス",
    "Points": "点",
    "All but the last: the bake can still be extended, but redone only from the first frame":
        "最後のもの以外すべて：延長はできますが、やり直しは最初のフレームからだけになります",
    "They can be made again from the points: blender -c tsubu surface": "点から作り直せます：blender -c tsubu surface",
    "Show Report": "レポートを表示",
    "Draw particles, step size, energy and time per frame of the bake, and show them in an image editor":
        "粒子数、時間刻み、エネルギー、フレームごとの時間を描き、画像エディターで表示します",
    "Reading the scene": "シーンを読み込み中",
    "Preparing": "準備中",
    "Compiling": "コンパイル中",
    "Simulating": "計算中",
    "Surfacing": "サーフェス作成中",
    "Cancelling": "キャンセル中",
    "Done": "完了",
    "Cancelled": "キャンセル済み",
    "Failed": "失敗",
    "Stopped": "停止",
    "{time} left": "残り {time}",
    "The bake failed": "ベイクに失敗しました",
    "The bake is running": "ベイクを実行中です",
    "The bake is running; cancel it first": "ベイクを実行中です。先にキャンセルしてください",
    "The bake is this scene's own already": "ベイクはすでにこのシーンのものです",
    "No bake is running": "ベイクは実行されていません",
    "Nothing has been baked yet": "まだ何もベイクされていません",
    "Cancelling the bake; it can be resumed": "ベイクをキャンセルしています。再開できます",
    "There is no log: no worker has run in this scene's bake folder":
        "ログがありません：このシーンのフォルダーでワーカーは動いていません",
    "The first bake compiles the solver, which takes a minute or two. Later ones do not":
        "最初のベイクではソルバーをコンパイルします（1、2 分）。次からは不要です",
    "The first bake also compiles the solver, once": "最初のベイクでは一度だけソルバーもコンパイルします",
    "Bake gets a folder of its own": "ベイクすると専用のフォルダーを使います",
    # Check before baking
    "Check Before Baking": "ベイク前の点検",
    "Look for leaks, holes, inside-out meshes and overlaps, and foretell particles, memory, disk and time of the bake":
        "漏れ、穴、裏返り、重なりを探し、粒子数、メモリ、ディスク、時間を予測します",
    "Select the object that this line is about": "この行のオブジェクトを選択します",
    "Fix": "修正",
    "Correct what this line is about, and check again": "この行の問題を直し、もう一度点検します",
    "Recalculate Normals": "法線を再計算",
    "Flip Normals": "法線を反転",
    "Fill Holes": "穴を埋める",
    "Set Spacing": "間隔を設定",
    "Set Scale": "スケールを設定",
    "Measuring a few steps ...": "数ステップを計測中…",
    "Nothing found": "問題は見つかりません",
    "Ready to bake": "ベイクできます",
    "Leave edit mode first": "先に編集モードを出てください",
    "Particles": "粒子",
    "Time": "時間",
    "Memory": "メモリ",
    "Disk": "ディスク",
    "about {time}": "約 {time}",
    "not known: emitters fill it later": "不明：後からエミッターが満たします",
    "some faces look inwards, others outwards": "内向きの面と外向きの面が混ざっています",
    "some faces look inwards, others outwards: it may leak there": "内向きと外向きの面が混ざり、そこから漏れるかもしれません",
    "the mesh has holes: it is filled as well as possible": "メッシュに穴があります：できるだけ満たします",
    "the mesh is inside out": "メッシュが裏返っています",
    "its faces look inwards but nothing is inside": "面が内向きですが、中に何もありません",
    # Playback, farm, examples
    "Playback": "再生",
    "Load Bake": "ベイクを読み込む",
    "Show the points and surfaces of a bake folder as ordinary objects":
        "ベイクフォルダーの点とサーフェスを通常のオブジェクトとして表示します",
    "Load the point caches": "点キャッシュを読み込みます",
    "Load the surfaces": "サーフェスを読み込みます",
    "Reload Files": "ファイルを再読み込み",
    "Read the files of loaded bakes again, after frames were baked anew": "ベイクし直したファイルを読み直します",
    "No bake is loaded in this scene": "このシーンにはベイクが読み込まれていません",
    "Farm": "レンダーファーム",
    "Export Farm Job": "ファームジョブを書き出す",
    "Write a job that bakes on one machine of a render farm, then surfaces and renders on many (Open Job Description)":
        "ファームの 1 台でベイクし、多数の台でサーフェスとレンダリングを行うジョブを書き出します (Open Job Description)",
    "Frames per Task": "タスクあたりのフレーム数",
    "How many frames one task surfaces or renders": "一つのタスクが処理するフレーム数",
    "Save the file first: a farm opens it from disk": "先に保存してください：ファームはディスクから開きます",
    "The farm opens the file as it was last saved; save it again before you submit the job":
        "ファームは最後に保存したファイルを開きます。投入する前に保存してください",
    "Wedges": "ウェッジ",
    "Setting": "設定",
    "Values": "値",
    "What is varied: an object's or the world's setting": "変える設定：オブジェクトまたはワールドのもの",
    "One bake for each, with blanks between them, in SI units: 0.1 0.5 2":
        "値ごとに一つのベイク。空白で区切り、SI 単位：0.1 0.5 2",
    "Export Wedges": "ウェッジを書き出す",
    "Write a job that bakes the scene once for each of the values and lays pictures of them side by side":
        "値ごとにシーンをベイクし、画像を並べるジョブを書き出します",
    "Choose a setting and give its values": "設定を選び、値を入力してください",
    "The scene has no camera: pictures of the wedges need one": "シーンにカメラがありません：ウェッジの画像に必要です",
    "Tsubu Example": "Tsubu の例",
    "Scenes that bake and render as they are": "そのままベイクしてレンダリングできるシーン",
    "Add a scene with camera, light and materials that bakes and renders as it is":
        "カメラ、照明、マテリアル付きで、そのままベイクとレンダリングができるシーンを追加します",
}  # fmt: skip

BUTTONS: dict[str, str] = {"Free": "解放"}
"""Names of buttons that mean something else than the same word elsewhere."""
