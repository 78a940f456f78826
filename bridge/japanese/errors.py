"""In Japanese: what the engine refuses or gives up for, with names and values. {fields} stand for whatever is said there."""

ERRORS: dict[str, str] = {
    # Settings
    "{where} is {value}; give a finite number.": "{where} が {value} です。有限の数にしてください。",
    "{where} is {value}; the least allowed is {limit}.": "{where} が {value} です。{limit} 以上にしてください。",
    "{where} is {value}; the most allowed is {limit}.": "{where} が {value} です。{limit} 以下にしてください。",
    "{where} is {value}; choose one of {known}.": "{where} が {value} です。{known} から選んでください。",
    "{owner}: unknown setting {names}; known are {known}.": "{owner}：{names} という設定はありません（あるもの：{known}）。",
    "{owner}: nothing in the scene is called {name}; there are world, surface, {known}.":
        "{owner}：シーンに {name} はありません（あるもの：world, surface, {known}）。",
    "{owner} has no setting {name}; there are {known}.": "{owner} に {name} という設定はありません（あるもの：{known}）。",
    "{path}: {owner} has no setting {name}; there are {known}.":
        "{path}：{owner} に {name} という設定はありません（あるもの：{known}）。",
    "{path} names no setting; write OWNER.SETTING, such as world.spacing or Column.viscosity.":
        "{path} は設定の名前ではありません。world.spacing や Column.viscosity のように書いてください。",
    "{path}: give one or more different values, with blanks between them; given are {values}.":
        "{path}：異なる値を空白で区切って入れてください（入力：{values}）。",
    "Frame {frame} of the picture is not baked; the range is {first} to {last}.":
        "画像のフレーム {frame} はベイクされていません（範囲は {first}～{last}）。",
    # Scene
    "World: the frame range is reversed: the last frame {last} comes before the first {first}. Swap them.":
        "フレーム範囲が逆です：最後の {last} が最初の {first} より前です。入れ替えてください。",
    "Scene {name} has no body and no active emitter: mark at least one mesh as Water or such.":
        "シーン {name} には物体も有効なエミッターもありません：メッシュを一つ以上「水」などにしてください。",
    "{name}: there is nothing to simulate. Mark at least one mesh as a body or an emitter.":
        "{name}：シミュレーションするものがありません。メッシュを一つ以上、物体かエミッターにしてください。",
    "{kind} {name} exists twice; rename one of them.": "{kind} {name} が二つあります。片方の名前を変えてください。",
    "{name}: {what} is {text}, which is not valid Unicode; rename it.":
        "{name}：{what} の {text} は正しい Unicode ではありません。名前を変えてください。",
    "{name}: its transform in frame {frame} of the range is not finite; correct its animation.":
        "{name}：範囲のフレーム {frame} で変換が有限ではありません。アニメーションを直してください。",
    "{name}: its scale in frame {frame} of the range is zero along an axis; give it a size.":
        "{name}：範囲のフレーム {frame} で、ある軸のスケールが 0 です。大きさを与えてください。",
    "{name}: it is flat along {axis} ({size} m), so nothing can fill it; is its scale zero? Give it a thickness.":
        "{name}：{axis} 方向に平らで ({size} m)、満たせません。スケールが 0 ではありませんか？厚みを与えてください。",
    "{name}: it is Free and a Drain at once; turn one of them off.":
        "{name}：「自由」と「排水口」が同時に有効です。どちらかを切ってください。",
    "{name}: it is a Drain, but its mesh is open and has no inside; close it, or turn Drain off.":
        "{name}：「排水口」ですが、メッシュが開いていて内側がありません。閉じるか、「排水口」を切ってください。",
    "{name}: it ends at {end} s, before it starts at {start} s. Swap them.":
        "{name}：開始 {start} 秒より前の {end} 秒に終わります。入れ替えてください。",
    "{name}: its direction is (0, 0, 0); point it somewhere.":
        "{name}：方向が (0, 0, 0) です。どこかへ向けてください。",
    "{name}: the weight of {what} at vertex {vertex} is {value}; it must be 0 to 1.":
        "{name}：頂点 {vertex} の {what} のウェイトが {value} です。0～1 にしてください。",
    "{setting} {size} m makes about {count} particles of {name}; the scene needs about {needed} of memory, this machine has "
    "{there}. Use {fitting} m or more, or a smaller scene.":
        "{setting} {size} m では {name} の粒子が約 {count} 個になります。シーンにはメモリが約 {needed} 必要です（こ"
        "のマシンは {there}）。{fitting} m 以上にするか、シーンを小さくしてください。",
    "Two outputs are called {name}; give one of them another name.":
        "{name} という出力が二つあります。片方の名前を変えてください。",
    "{name}: it is another liquid than {other} and cannot share the output {output}. Give one of them an Output of its own, "
    "or both the same settings.":
        "{name}：{other} とは違う液体なので、出力 {output} を共有できません。片方に別の「出力」を与えるか、両方を"
        "同じ設定にしてください。",
    # Meshes
    "{name}: {what} is at ({place}), {count} in all are not finite; look for a division by zero in its modifiers, drivers or "
    "transform.":
        "{name}：{what} が ({place}) にあり、全部で {count} 個が有限ではありません。モディファイアー、ドライバー、変換"
        "に 0 での割り算がないか確かめてください。",
    "{name}: the mesh is empty ({count} faces); give the object at least one face.":
        "{name}：メッシュが空です（面 {count}）。面を一つ以上与えてください。",
    "{name}: all vertices lie at one point (size 0 m); is the object's scale zero? Set it to 1.":
        "{name}：すべての頂点が一点にあります。スケールが 0 ではありませんか？1 にしてください。",
    "{name}: no triangle has an area (size {size} m); is the scale zero along two axes? Set it to 1.":
        "{name}：面積のある三角形がありません（大きさ {size} m）。二つの軸のスケールが 0 ではありませんか？1 にし"
        "てください。",
    "Collider {name}: the mesh has no faces; give it faces or remove it from the colliders.":
        "コライダー {name}：メッシュに面がありません。面を作るか、コライダーから外してください。",
    "Collider {name}: vertex {vertex} is at {place}; every vertex must be finite.":
        "コライダー {name}：頂点 {vertex} が {place} にあります。すべて有限でなければなりません。",
    "Collider {name}: it has {count} triangles, more than {limit}. Decimate the mesh.":
        "コライダー {name}：三角形が {count} 個あり、上限 {limit} を超えます。デシメートしてください。",
    "Collider {name}: all {count} triangles have no area; check its scale (is one axis 0?).":
        "コライダー {name}：{count} 個の三角形すべてに面積がありません。スケールを確かめてください（0 の軸は？）。",
    "Collider {name}: the transform of frame {frame} of the range is not finite; check its drivers and constraints.":
        "コライダー {name}：範囲のフレーム {frame} で変換が有限ではありません。ドライバーとコンストレイントを確かめて"
        "ください。",
    "Collider {name}: it is Free and animated at once; remove its animation or turn Free off.":
        "コライダー {name}：「自由」なのにアニメーションがあります。どちらかを外してください。",
    "Collider {name}: it is Free, but its mesh is open and has no mass; close it or turn Free off.":
        "コライダー {name}：「自由」ですが、メッシュが開いていて質量がありません。閉じるか、「自由」を切ってくださ"
        "い。",
    "Collider {name}: it is Free and begins deep inside {other} (more than {depth} m at {place}). Move them apart.":
        "コライダー {name}：「自由」ですが、最初から {other} に深く入っています（{place} で {depth} m 以上）。離して"
        "ください。",
    # Emitters
    "{name}: its scale shrinks to {part} of that at the first frame. End the emission earlier, or stop scaling it at 1/100.":
        "{name}：スケールが最初のフレームの {part} まで縮みます。放出を早く終えるか、1/100 で止めてください。",
    "{name}: the mesh has no width across the direction of flow {direction}; turn the mesh to face the flow, or change the "
    "direction.":
        "{name}：流れの方向 {direction} に対してメッシュの幅がありません。メッシュを流れに向けるか、方向を変えてくだ"
        "さい。",
    "{name}: the emitter lies wholly inside a collider ({other}), so nothing can leave. Move it out, or flip the collider's "
    "normals so that they face the material (a hollow's point inwards).":
        "{name}：エミッター全体がコライダー ({other}) の中にあり、何も出られません。外へ動かすか、コライダーの法線を材"
        "料の側へ向けてください（容器の法線は内向きです）。",
    "{name}: the emitter lies wholly inside the body {other}, so there is no room for what leaves. Move it out, or let it "
    "start later.":
        "{name}：エミッター全体が物体 {other} の中にあり、出る場所がありません。外へ動かすか、開始を遅らせてくださ"
        "い。",
    "{name}: the nozzle is {size} m wide, less than a cell of the foam's grid ({cell} m, two particle spacings). Enlarge it, "
    "or lower the particle spacing to {fitting} m or less.":
        "{name}：ノズルの幅 {size} m が泡の格子のセル（{cell} m、粒子間隔の 2 倍）より小さいです。広げるか、粒子の間"
        "隔を {fitting} m 以下にしてください。",
    # What cannot be mixed
    "{name}: transfer is {one} with FLIP share {share}, but {other} uses {two} with {rest}; all foam needs the same.":
        "{name}：転写が {one}（FLIP {share}）ですが、{other} は {two}（{rest}）です。泡はすべて同じにしてください。",
    "{name}: steps are {one}, but those of {other} are {two}; all foam of a scene needs the same.":
        "{name}：刻みが {one} ですが、{other} は {two} です。シーンの泡はすべて同じにしてください。",
    "{name}: resampling is {one}, but {other} has it the other way; all foam of a scene needs the same.":
        "{name}：再サンプリングが {one} ですが、{other} は逆です。シーンの泡はすべて同じにしてください。",
    "{name}: {setting} is {one}, but {other} has {two}; all solids of a scene need the same.":
        "{name}：{setting} が {one} ですが、{other} は {two} です。シーンの固体はすべて同じにしてください。",
    "{name}: {setting} is {one}, but {other} has {two}; with Method 'continuum' all grains of a scene need the same. Choose "
    "'hybrid' or 'all' (All grains) to mix them.":
        "{name}：{setting} が {one} ですが、{other} は {two} です。手法「連続体のみ」ではシーンの粒をすべて同じにする"
        "必要があります。混ぜるには「ハイブリッド」か「すべて粒」にしてください。",
    "{name}: Method (mode) is 'continuum', but there are Free colliders, and only grains push them. Choose 'hybrid' or 'all' "
    "(All grains), or turn Free off.":
        "{name}：手法が「連続体のみ」ですが、「自由」なコライダーがあります。それを押せるのは粒だけです。「ハイブリッ"
        "ド」か「すべて粒」にするか、「自由」を切ってください。",
    "{name}: surface tension is off, but on for other water of the scene; make them the same.":
        "{name}：表面張力が切れていますが、シーンのほかの水では有効です。同じにしてください。",
    "{name}: surface tension needs the incompressible scheme; switch one of the two.":
        "{name}：表面張力には非圧縮の方式が必要です。どちらかを切り替えてください。",
    "{name}: its density or surface tension differs from that of {other}; with surface tension all water of a scene is of one "
    "liquid. Make them the same or switch it off.":
        "{name}：密度か表面張力が {other} と違います。表面張力を使うとシーンの水は一種類です。同じにするか、切ってく"
        "ださい。",
    # Too small, too thin
    "{name}: Grain size is {size} m (the largest grains {largest} m), but the body measures only {length} m along {axis}; no "
    "grain fits. Use smaller grains or a larger body.":
        "{name}：粒の大きさが {size} m（最大 {largest} m）ですが、物体は {axis} 方向に {length} m しかなく、粒が入りま"
        "せん。粒を小さくするか物体を大きくしてください。",
    "{name}: the body encloses {volume} m³, less than one grain of {size} m ({one} m³). Use smaller grains or a larger body.":
        "{name}：物体の体積 {volume} m³ が {size} m の粒 1 個（{one} m³）より小さいです。粒を小さくするか物体を大きくし"
        "てください。",
    "{name}: there is no room for a single grain of {size} m in it. Use smaller grains or a larger body.":
        "{name}：{size} m の粒が一つも入りません。粒を小さくするか物体を大きくしてください。",
    "{name}: there is no room for a single grain of {size} m in it. Use smaller grains or a larger body. ({why})":
        "{name}：{size} m の粒が一つも入りません。粒を小さくするか物体を大きくしてください。（{why}）",
    "{name}: {part} % of it is thinner than two particles (about {thin} m, the spacing is {spacing} m), so it could not bend; "
    "use a particle spacing of {fitting} m or less, or thicken it (Solidify).":
        "{name}：{part} % が粒子 2 個分より薄く（約 {thin} m、間隔は {spacing} m）、曲がれません。間隔を {fitting} m 以下"
        "にするか、厚くしてください（ソリッド化）。",
    # What became unstable
    "{name}: the water became unstable (a velocity is not a number). Lower the Courant number, or check for colliders that "
    "overlap or move very fast.":
        "{name}：水が不安定になりました。クーラン数を下げるか、重なったコライダーや速すぎるコライダーがないか確かめてく"
        "ださい。",
    "{name}: the simulation became unstable (a velocity is not a number). Lower the Courant number, or check for colliders "
    "that overlap or move very fast.":
        "{name}：シミュレーションが不安定になりました。クーラン数を下げるか、重なったコライダーや速すぎるコライダーがない"
        "か確かめてください。",
    "{name}: the solid became unstable (a velocity is not a number). Lower the Courant number or the Stiff step, or check for "
    "colliders that overlap or move very fast.":
        "{name}：固体が不安定になりました。クーラン数か剛性の刻みを下げるか、重なったコライダーや速すぎるコライダーがない"
        "か確かめてください。",
    "{name}: the grains became unstable (a velocity is not a number). Check for colliders that overlap or move very fast.":
        "{name}：粒が不安定になりました。重なったコライダーや速すぎるコライダーがないか確かめてください。",
    "{name}: the grains became unstable (a position is not a number). Check for colliders that overlap.":
        "{name}：粒が不安定になりました。重なったコライダーがないか確かめてください。",
    "{name}: the grains spread over {cells} cells of {size} m, more than the hybrid method's map can hold. Lower the world's "
    "limit, add colliders that keep the grains together, or choose All grains.":
        "{name}：粒が {size} m のセル {cells} 個に広がり、ハイブリッドの地図に収まりません。世界の限界を小さくするか、粒"
        "を囲むコライダーを置くか、「すべて粒」にしてください。",
    "{name}: the simulation diverged before frame {frame} ({count} particles have no finite position). Use a smaller Courant "
    "number or particle spacing, or slower colliders, and bake again from an earlier frame.":
        "{name}：フレーム {frame} の前に発散しました（粒子 {count} 個の位置が有限ではありません）。クーラン数か粒子の間隔"
        "を小さくするか、コライダーを遅くして、前のフレームからベイクし直してください。",
    "Surface: {count} of {all} particles have no finite position; the simulation has diverged.":
        "サーフェス：{all} 個中 {count} 個の粒子の位置が有限ではありません。シミュレーションが発散しました。",
    "Surface: the particles spread over {size} particle spacings; the most that can be surfaced is {most}. Set a smaller "
    "world limit so that runaway particles are dropped.":
        "サーフェス：粒子が間隔の {size} 倍に広がりました（上限 {most}）。世界の限界を小さくして、飛び去った粒子を捨てて"
        "ください。",
    # Files
    "The disk of the bake folder {folder} is full: {free}. Everything written so far is kept; make room and resume.":
        "ベイクフォルダー {folder} のディスクがいっぱいです（{free}）。これまでの分は残っています。空きを作って再開してく"
        "ださい。",
    "The bake folder {folder} or a part of it is not there any more. Bring it back and resume.":
        "ベイクフォルダー {folder} かその一部がなくなりました。元に戻して再開してください。",
    "The bake folder {folder} cannot be written ({why}). Change its permissions or choose another.":
        "ベイクフォルダー {folder} に書けません ({why})。権限を変えるか、別のフォルダーを選んでください。",
    "The bake folder {folder} failed: {why}. Repair it and resume.":
        "ベイクフォルダー {folder} に問題があります：{why}。直して再開してください。",
    "The bake folder {folder} cannot be made ({why}). Choose another.":
        "ベイクフォルダー {folder} を作れません ({why})。別の場所を選んでください。",
    "{folder} cannot be a bake folder: a file of that name is in the way. Choose another.":
        "{folder} をベイクフォルダーにできません：同じ名前のファイルがあります。別の場所を選んでください。",
    "The surface {path} could not be written: {why}": "サーフェス {path} を書けませんでした：{why}",
    "{path} is missing.": "{path} がありません。",
    "{path} is damaged or no array file ({why}).": "{path} は壊れているか、配列のファイルではありません ({why})。",
    "The checkpoint {path} is damaged.": "チェックポイント {path} が壊れています。",
    "{path} is missing; write the job again.": "{path} がありません。ジョブを書き出し直してください。",
    "{path} is not the one written with {other} (altered or truncated). Write the job again.":
        "{path} は {other} と一緒に書かれたものではありません（変更されたか、途切れています）。ジョブを書き出し直してくだ"
        "さい。",
    "There is no folder {folder}. Write a job there first.":
        "フォルダー {folder} がありません。先にジョブを書き出してください。",
    "{folder} is no bake folder: it holds no {name}. Write a job there first.":
        "{folder} はベイクフォルダーではありません：{name} がありません。先にジョブを書き出してください。",
    "{path} was written by a newer Tsubu (job schema {number}; this one reads {known}). Update Tsubu on this machine.":
        "{path} は新しい Tsubu で書かれました（形式 {number}、ここで読めるのは {known}）。Tsubu を更新してください。",
    "This bake was made by a newer Tsubu ({what}). Update Tsubu on this machine.":
        "このベイクは新しい Tsubu で作られました ({what})。Tsubu を更新してください。",
    "The bake in {folder} was begun with {one} points, this Python writes {two}. Resume with the Blender that began it, or "
    "bake again without resume.":
        "{folder} のベイクは {one} の点で始まりましたが、ここでは {two} を書きます。始めた Blender で再開するか、最初から"
        "ベイクし直してください。",
    "The point cache {path} is missing. Bake again from this frame.":
        "点のキャッシュ {path} がありません。このフレームからベイクし直してください。",
    "The point cache {path} is damaged. Bake again from this frame.":
        "点のキャッシュ {path} が壊れています。このフレームからベイクし直してください。",
    "The point cache {path} is damaged: it holds no {what}. Bake again from this frame.":
        "点のキャッシュ {path} が壊れています（{what} がありません）。このフレームからベイクし直してください。",
    "The point cache {path} is damaged: it has no PLY header. Bake again from this frame.":
        "点のキャッシュ {path} が壊れています（PLY のヘッダーがありません）。このフレームからベイクし直してください。",
    "The point cache {path} is truncated ({there} of {all} points). Bake again from this frame.":
        "点のキャッシュ {path} が途切れています（{all} 点中 {there}）。このフレームからベイクし直してください。",
    "The mesh cache {path} is missing. Bake again from this frame.":
        "メッシュのキャッシュ {path} がありません。このフレームからベイクし直してください。",
    "{path} is no mesh cache, or it is damaged. Bake again from this frame.":
        "{path} はメッシュのキャッシュではないか、壊れています。このフレームからベイクし直してください。",
    "{path} is of another mesh ({count} vertices). Bake again from the start.":
        "{path} は別のメッシュ（頂点 {count}）のものです。最初からベイクし直してください。",
    "{path} is no OpenVDB file.": "{path} は OpenVDB のファイルではありません。",
    "{path} is damaged: {why}. Bake again from this frame.":
        "{path} が壊れています：{why}。このフレームからベイクし直してください。",
    "{folder} holds no baked frame, so there is nothing to report.":
        "{folder} にはベイクしたフレームがなく、報告するものがありません。",
    "Surfaces cannot be written: the module openvdb is missing in this Python. Bake with Blender's Python (or a Python that "
    "has the bpy wheel), or turn Surface off.":
        "サーフェスを書けません：この Python には openvdb がありません。Blender の Python でベイクするか、「サーフェス」を"
        "切ってください。",
    "{path} cannot be written: this Python has no openvdb. Use Blender's own, or install the bpy wheel.":
        "{path} を書けません：この Python には openvdb がありません。Blender のものを使ってください。",
    # Showing a bake
    "{folder} is not a folder; choose the folder that holds job.json.":
        "{folder} はフォルダーではありません。job.json のあるフォルダーを選んでください。",
    "{folder} holds no finished frame; choose the folder that holds job.json, or bake first.":
        "{folder} には完成したフレームがありません。job.json のあるフォルダーを選ぶか、先にベイクしてください。",
    "{folder} holds no {what} to load; choose another folder or another kind.":
        "{folder} には読み込む{what}がありません。別のフォルダーか種類を選んでください。",
    "This Blender cannot read {path}: its build has no OpenVDB.":
        "この Blender は OpenVDB なしで作られていて、{path} を読めません。",
    "Blender cannot read {path}: this build has no USD. Bake again with points as PLY.":
        "この Blender は USD なしで作られていて、{path} を読めません。点を PLY にしてベイクし直してください。",
    "{folder}: the job has no mesh of {name} with {count} vertices. Open the file it was baked from.":
        "{folder}：ジョブに {name}（頂点 {count}）のメッシュがありません。ベイクした元のファイルを開いてください。",
    "{folder}: the mesh of {name} cannot be rebuilt ({why}). Open the file it was baked from.":
        "{folder}：{name} のメッシュを作り直せません ({why})。ベイクした元のファイルを開いてください。",
    "{why}. Bake again to get a folder of its own, or take the bake over.":
        "{why}。ベイクし直して専用のフォルダーを使うか、引き継いでください。",
    "{output} ({kind}): {count} frames between {first} and {last} have no file ({frames}); Blender would show other frames "
    "there. Resume the bake before rendering.":
        "{output}（{kind}）：{first}～{last} のうち {count} フレームのファイルがありません（{frames}）。Blender は代わりに別"
        "のフレームを表示します。レンダリングの前にベイクを再開してください。",
    "The example {name} cannot be built: {why}": "例 {name} を作れません：{why}",
    "The file was never saved: a farm opens it from disk. Save it first.":
        "ファイルが保存されていません：ファームはディスクから開きます。先に保存してください。",
    "The file was never saved: the bake is kept in {folder}. Save to bake beside the file.":
        "ファイルが保存されていません：ベイクは {folder} に置かれます。保存するとファイルの隣にベイクされます。",
    "The bake was cancelled; it can be resumed.": "ベイクをキャンセルしました。再開できます。",
    "The job in {folder} changed since its bake began ({what}), so the finished frames do not belong to it. Undo the change "
    "to {keep}, or bake again from the first frame without resume.":
        "{folder} のベイク開始後に変更がありました ({what})。完成したフレームとは合いません。変更を取り消すか、最初から"
        "ベイクし直してください。",
    # What scripts may get wrong
    "{owner}: its name is {text}; give it a name.": "{owner}：名前が {text} です。名前を付けてください。",
    "{where}: {what} is {text}; give a plain text.": "{where}：{what} が {text} です。文字列にしてください。",
    "{where}: its settings are a {one}; give a {two}.": "{where}：設定が {one} です。{two} にしてください。",
    "{where}: {what} is {value}; give three numbers.": "{where}：{what} が {value} です。三つの数にしてください。",
    "{where}: {what} is {value}; give three finite numbers.": "{where}：{what} が {value} です。三つの有限の数にしてください。",
    "{where}: its mesh is a {one}; give a Mesh.": "{where}：メッシュが {one} です。Mesh にしてください。",
    "{where}: a body is filled at the first frame only; give the vertices of that frame, (n, 3).":
        "{where}：物体が満たされるのは最初のフレームだけです。そのフレームの頂点 (n, 3) を与えてください。",
    "{where}: its mesh has vertices for {count} frames, the scene has {frames}; export it again.":
        "{where}：メッシュの頂点が {count} フレーム分ですが、シーンは {frames} フレームです。書き出し直してください。",
    "{where}: its motion has shape {shape}; give one 4 × 4 matrix per frame.":
        "{where}：動きの形が {shape} です。フレームごとに 4 × 4 の行列を一つ与えてください。",
    "Collider {where}: motion has shape {shape}; give one 4×4 matrix per frame.":
        "コライダー {where}：動きの形が {shape} です。フレームごとに 4×4 の行列を一つ与えてください。",
    "{where}: its motion has {count} matrices, the scene has {frames} frames; export it again.":
        "{where}：動きの行列が {count} 個ですが、シーンは {frames} フレームです。書き出し直してください。",
    "{where}: {what} cannot be animated; what can is {known}.":
        "{where}：{what} はアニメートできません（できるもの：{known}）。",
    "{where}: the animation of {what} has shape {shape}; give one value per frame, {wanted}.":
        "{where}：{what} のアニメーションの形が {shape} です。フレームごとに値を一つ与えてください：{wanted}。",
    "{where}: {what} cannot be painted; what can is {known}.": "{where}：{what} は塗れません（塗れるもの：{known}）。",
    "{where}: the weights of {what} have shape {shape}; give one per vertex, ({count},).":
        "{where}：{what} のウェイトの形が {shape} です。頂点ごとに一つ与えてください：({count},)。",
    "{where} is {value}; give true or false.": "{where} が {value} です。真か偽にしてください。",
    "{where} is {value}; give a whole number.": "{where} が {value} です。整数にしてください。",
    "{where} has {count} components; give {wanted}.": "{where} の成分が {count} 個です。{wanted} 個にしてください。",
    "{where} is {value}, which is not a {kind}.": "{where} が {value} です。{kind} ではありません。",
    "{owner}: {what} ({name}) is {value}; give on or off.":
        "{owner}：{what}（{name}）が {value} です。on か off にしてください。",
    "{where}: vertices have the shape {shape}; give (n, 3), or (frames, n, 3) if deforming.":
        "{where}：頂点の形が {shape} です。(n, 3)、変形するなら (frames, n, 3) にしてください。",
    "{where}: triangles are {one} {shape}; give integers of the shape (m, 3).":
        "{where}：三角形が {one} {shape} です。(m, 3) の整数にしてください。",
    "{where}: a triangle names vertex {vertex}, but the last one is {last}; export the mesh again.":
        "{where}：三角形が頂点 {vertex} を指していますが、最後は {last} です。メッシュを書き出し直してください。",
    "Collider {where}: a triangle uses vertex {vertex}, but there are only {count} vertices; the mesh is damaged, export it "
    "again.":
        "コライダー {where}：三角形が頂点 {vertex} を使いますが、頂点は {count} 個です。メッシュを書き出し直してくださ"
        "い。",
    "{where}: the particle spacing is {spacing} m; give a length above zero.":
        "{where}：粒子の間隔が {spacing} m です。0 より大きくしてください。",
    "{where}: the jitter is {value}; give a number from 0 (lattice) to 1 (half a spacing each way).":
        "{where}：ばらつきが {value} です。0（格子）～1（間隔の半分ずつ）にしてください。",
    "{where}: the direction of flow is {value}; give a direction of some length.":
        "{where}：流れの方向が {value} です。長さのある方向にしてください。",
    "{name}: there is no body kind {kind}; known are {known}.": "{name}：{kind} という種類はありません（あるもの：{known}）。",
    "{name}: the checkpoint is of frame {one}, not {two}; bake again from the start.":
        "{name}：チェックポイントが {two} ではなくフレーム {one} のものです。最初からベイクし直してください。",
    "USD (module pxr) is missing in this Python; run with Blender's Python or set TSUBU_POINTS=ply.":
        "この Python には USD (pxr) がありません。Blender の Python を使うか、TSUBU_POINTS=ply にしてください。",
    "{path} is not valid JSON ({why}). Undo the edit or write the job again.":
        "{path} は正しい JSON ではありません ({why})。編集を元に戻すか、ジョブを書き出し直してください。",
    "{path} is no Tsubu job: it has no schema number.": "{path} は Tsubu のジョブではありません（形式の番号がありません）。",
}  # fmt: skip
