"""In Japanese: the settings of the body kinds."""

TABLE: dict[str, str] = {
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
    "Every grain on its own: the reference, and slower where grains lie deep":
        "粒を一つずつ計算：基準となる方法。深く積もった粒では遅くなります",
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
    "Mass of one cubic metre: shaving cream 80, whipped cream 300–500, mayonnaise 900, concrete 2300":
        "1 立方メートルの質量：シェービングクリーム 80、ホイップクリーム 300–500、マヨネーズ 900、コンクリート 2300",
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
}  # fmt: skip
