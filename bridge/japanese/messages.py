"""In Japanese: messages with names and values in them. {fields} stand for whatever a message says there."""

from .errors import ERRORS

MESSAGES: dict[str, str] = {
    **ERRORS,
    # Check before baking
    "only {count} {what} across its thinnest side": "いちばん薄い所に{what}が {count} 個しか並びません",
    "{kind} {length} {how}: it will look as slow or as fast as at that size":
        "{kind}の大きさが {length} です：その大きさの速さで動きます",
    "no grain fits: the largest grains measure {grain}, the body {length} along {axis}. Use smaller grains or a larger "
    "body":
        "粒が入りません：最大の粒は {grain}、物体は {axis} 方向に {length} です。粒を小さくするか物体を大きく"
        "してください",
    "{setting} differs from {name}: all its grains stay single, only those of {other} become a continuum":
        "{setting}が {name} と違います：この物体の粒はすべて個別に計算され、連続体になるのは {other} の粒だけです",
    "it weighs {mass}, less than a grain ({grain}), and will be thrown about by single ones":
        "重さが {mass} で、粒 1 個（{grain}）より軽く、粒に弾き飛ばされます",
    "{name}: Method (mode) is {one}, but {other} has {two}; Continuum only does not mix with the others. Choose 'hybrid' or "
    "'all' (All grains) for all grains of the scene.":
        "{name}：手法が {one} ですが、{other} は {two} です。「連続体のみ」は他の手法と混ぜられません。シーンの粒すべてを"
        "「ハイブリッド」か「すべて粒」にしてください",
    "{name} lies inside this solid; as a container its faces have to look inwards":
        "{name} がこの立体の中にあります。容器にするには面を内向きにしてください",
    "a wall {thickness} thick, thinner than the spacing of {spacing}: it may leak":
        "壁の厚さが {thickness} で、粒子の間隔 {spacing} より薄く、漏れるかもしれません",
    "moves {length} in one frame, {times} times its thickness: is that meant?":
        "1 フレームで {length} 動きます（厚さの {times} 倍）。意図どおりですか？",
    "shares {volume} with {name}: the later of two bodies leaves out what the earlier fills":
        "{name} と {volume} だけ重なっています：後の物体は、前の物体が満たす所を空けます",
    "its particles are {times} times finer than those of {name}: the two feel each other in cells of {cell} only":
        "粒子が {name} の {times} 分の 1 の細かさです：互いに {cell} のセルでしか感じ合いません",
    "its particles are {times} times finer than those of {name}: the two feel each other in cells of {cell} only. With a "
    "spacing of {spacing}, {coarse} would have {count} particles and take about {longer} times as long":
        "粒子が {name} の {times} 分の 1 の細かさです：互いに {cell} のセルでしか感じ合いません。間隔を {spacing} にす"
        "ると {coarse} は {count} 個の粒子になり、約 {longer} 倍の時間がかかります",
    "{volume} ({part} %) lie inside {name} and are left out": "{volume}（{part} %）が {name} の中にあり、省かれます",
    "gravity is {size} m/s²; on Earth it is 9.81. Check the unit scale of the scene":
        "重力が {size} m/s² です（地球では 9.81）。シーンの単位の倍率を確かめてください",
    "needs {needed} of memory; this machine has {there}":
        "メモリが {needed} 必要です。このマシンには {there} あります",
    "needs {needed} on disk; {free} are free. Choose another Cache Folder":
        "ディスクに {needed} 必要です。空きは {free} です。別のキャッシュフォルダーを選んでください",
    "Yield ({yields} Pa) is above Firmness ({firmness} Pa): it stretches like rubber to more than twice its length "
    "before it flows. Lower Yield or raise Firmness":
        "降伏応力 ({yields} Pa) が硬さ ({firmness} Pa) を超えています：流れる前にゴムのように 2 倍以上伸びま"
        "す。降伏応力を下げるか硬さを上げてください",
    "{name} is not closed: holes are bridged as well as possible. Close its mesh to be sure.":
        "{name} は閉じていません：穴はできるだけふさぎます。確実にするにはメッシュを閉じてください。",
    "{count} things to look at before baking": "ベイク前に確認することが {count} 件あります",
    "Scale set to {scale}": "スケールを {scale} にしました",
    "Particle spacing set": "粒子の間隔を設定しました",
    "Gravity set to that of the Earth": "重力を地球と同じにしました",
    "Grain size of {name} set": "{name} の粒の大きさを設定しました",
    "{other} is cut out of {name} by a modifier": "モディファイアーで {name} から {other} を切り抜きました",
    "{name}: only a mesh can be cut out of it; move one of the two.":
        "{name}：切り抜けるのはメッシュだけです。どちらかを動かしてください。",
    "{name}: only a mesh of this file can be mended; correct it by hand.":
        "{name}：直せるのはこのファイルのメッシュだけです。手で直してください。",
    "Holes filled": "穴を埋めました",
    "Normals recalculated": "法線を再計算しました",
    "Normals flipped": "法線を反転しました",
    # What a bake says
    "Frames {first} to {last} are baked.": "フレーム {first}～{last} をベイクしました。",
    # What a bake says
    "Frames {first} to {last} are baked. {part} % fewer grains than with All grains.":
        "フレーム {first}～{last} をベイクしました。全粒子の場合より粒が {part} % 少なくなりました。",
    "Cancelled in frame {frame}; it can be resumed.": "フレーム {frame} でキャンセルしました。再開できます。",
    "Cancelled before the first frame.": "最初のフレームの前にキャンセルしました。",
    "The bake ended unexpectedly (crash, power cut or kill). Resume continues it.":
        "ベイクが突然終わりました（クラッシュ、停電、強制終了）。「再開」で続けられます。",
    "The bake in {folder} has been asked to stop but still runs":
        "{folder} のベイクに停止を求めましたが、まだ動いています",
    "{size} freed": "{size} を解放しました",
    "Scene {name} has no bake yet; press Bake.":
        "シーン {name} にはまだベイクがありません。「ベイク」を押してください。",
    "Frame {frame} to redo from lies outside the range {first} to {last}.":
        "やり直すフレーム {frame} は範囲 {first}～{last} の外です。",
    "{count} finished frames will be deleted. Resume keeps them":
        "完成した {count} フレームが削除されます。「再開」なら残ります",
    "The bake folder {folder} is in use by a running bake ({who}). Wait for it, cancel it (python -m solvers cancel), or "
    "choose another folder.":
        "ベイクフォルダー {folder} は実行中のベイクが使っています ({who})。終わるのを待つか、キャンセルするか"
        "、別のフォルダーを選んでください。",
    "The job in {folder} changed since its bake began ({what}), so the finished frames do not belong to it. Undo the "
    "change to keep them, or bake again from the first frame without resume.":
        "{folder} のベイク開始後に変更がありました ({what})。完成したフレームとは合いません。変更を取り消すか"
        "、最初からベイクし直してください。",
    "The cache folder {folder} is relative to the .blend file, which was never saved. Save the file or choose another "
    "folder.":
        "キャッシュフォルダー {folder} は .blend からの相対パスですが、ファイルが保存されていません。保存する"
        "か別のフォルダーを選んでください。",
    "The Python of this Blender has no {name}, without which nothing can be baked. Install Tsubu from the zip of your "
    "platform, which brings it along, and restart Blender.":
        "この Blender の Python には {name} がなく、ベイクできません。お使いの環境用の zip から Tsubu を入れ"
        "直し、Blender を再起動してください。",
    "{name}: frames {frames} are not baked or damaged; other frames would be rendered in their place. Resume the bake of "
    "{folder}.":
        "{name}：フレーム {frames} はベイクされていないか壊れています。代わりに別のフレームがレンダリングされ"
        "てしまいます。{folder} のベイクを再開してください。",
    "{name}: its playback modifier is gone. Load the bake again.":
        "{name}：再生用のモディファイアーがありません。ベイクを読み込み直してください。",
    # What is wrong with a scene
    "The frame range is reversed: the last frame {last} comes before the first {first}. Swap them.":
        "フレーム範囲が逆です：最後の {last} が最初の {first} より前です。入れ替えてください。",
    "Scene {name} has nothing to simulate: select a mesh and mark it as a body ({kinds}) or an Emitter.":
        "シーン {name} にはシミュレーションするものがありません：メッシュを選択して物体（{kinds}）かエミッタ"
        "ーにしてください。",
    "{name}: there is no vertex group {group} (there are: {known}). Choose another one beside Painted by, or empty it.":
        "{name}：頂点グループ {group} がありません（あるもの：{known}）。「ペイント」の欄で別のものを選ぶか、"
        "空にしてください。",
    "{name}: its transform in frame {frame} is not finite; correct its animation or constraints.":
        "{name}：フレーム {frame} の変換が有限ではありません。アニメーションかコンストレイントを直してくださ"
        "い。",
    "{name}: its scale in frame {frame} is zero along an axis; give it a size (or unmark it).":
        "{name}：フレーム {frame} で、ある軸のスケールが 0 です。大きさを与えるか、役割を外してください。",
    "{name}: its mesh has no faces in frame {frame}; give it faces, check its modifiers, or unmark it.":
        "{name}：フレーム {frame} でメッシュに面がありません。面を作るか、モディファイアーを確かめるか、役割"
        "を外してください。",
    "{name}: vertex {vertex} is at ({place}) in frame {frame}; correct the mesh or its modifiers.":
        "{name}：フレーム {frame} で頂点 {vertex} が ({place}) にあります。メッシュかモディファイアーを直して"
        "ください。",
    "{name}: it has {vertices} vertices and {faces} faces in the first frame, but {others} and {rest} in frame {frame}; "
    "a collider or emitter must keep its faces. Check its modifiers (Build, Boolean, Remesh, Decimate).":
        "{name}：最初のフレームでは頂点 {vertices}、面 {faces} ですが、フレーム {frame} では {others} と "
        "{rest} です。コライダーとエミッターは面を保つ必要があります。モディファイアー（ビルド、ブーリアン、"
        "リメッシュ、デシメート）を確かめてください。",
    "{name}: it lies wholly inside a collider. Move it out, or flip the collider's normals so that they face the {what} "
    "(a tank's normals point inwards).":
        "{name}：全体がコライダーの中にあります。外へ動かすか、コライダーの法線を内側へ向けてください（容器の"
        "法線は内向きです）。",
    "{name}: other bodies fill its whole space already. Move the bodies apart.":
        "{name}：ほかの物体がすでに全体を満たしています。離してください。",
    "{name}: other grains fill its whole space already. Move the bodies apart.":
        "{name}：ほかの粒がすでに全体を満たしています。離してください。",
    "Body {name}: it is flat along {axis} ({size} m), so nothing can fill it; is its scale zero? Give it a thickness.":
        "物体 {name}：{axis} 方向に平らです ({size} m)。満たせません。厚みを与えてください。",
    "Emitter {name}: it ends at {end} s, before it starts at {start} s. Swap them.":
        "エミッター {name}：開始 {start} 秒より前の {end} 秒に終わります。入れ替えてください。",
    "Emitter {name}: its direction is (0, 0, 0); point it somewhere.":
        "エミッター {name}：方向が (0, 0, 0) です。どこかへ向けてください。",
    "Collider {name}: it is Free and a Drain at once; turn one of them off.":
        "コライダー {name}：「自由」と「排水口」が同時に有効です。どちらかを切ってください。",
    "Collider {name}: it is a Drain, but its mesh is open and has no inside; close it, or turn Drain off.":
        "コライダー {name}：「排水口」ですが、メッシュが開いていて内側がありません。閉じるか、「排水口」を切"
        "ってください。",
    "{name}: the mesh is open ({count} open edges) and encloses nothing; close it, give it thickness (Solidify), or use "
    "it as an emitter.":
        "{name}：メッシュが開いていて（開いた辺 {count}）、何も囲んでいません。閉じるか、厚みを付ける（ソリッ"
        "ド化）か、エミッターにしてください。",
    "{name}: the mesh encloses 0 m³; is its scale zero along an axis? Give it thickness (Solidify).":
        "{name}：メッシュの体積が 0 です。厚みを付けてください（ソリッド化）。",
    "{name}: a spacing of {spacing} m in a box of {size} m means {cells} cells, more than can be filled; increase the "
    "particle spacing or check the mesh's scale.":
        "{name}：間隔 {spacing} m、大きさ {size} m ではセルが {cells} 個になり、満たせません。間隔を広げるか"
        "、スケールを確かめてください。",
    "World: Particle spacing (spacing) {spacing} m makes about {count} particles, which need about {needed} of memory; "
    "this machine has {there}. Use a spacing of {fitting} m or more, or a smaller scene.":
        "粒子の間隔 {spacing} m では約 {count} 個の粒子になり、メモリが約 {needed} 必要です（このマシンは "
        "{there}）。間隔を {fitting} m 以上にするか、シーンを小さくしてください。",
    "{name}: the emitter is smaller than the particle spacing ({spacing} m). Enlarge it or lower the spacing.":
        "{name}：エミッターが粒子の間隔 ({spacing} m) より小さいです。大きくするか、間隔を狭めてください。",
    "{name}: the vertex group {group} has no weight on the side that the flow leaves. Paint it there, or choose another "
    "one beside Painted by.":
        "{name}：流れ出る側で頂点グループ {group} のウェイトがありません。そこを塗るか、「ペイント」の欄で別"
        "のものを選んでください。",
    "{name}: its normals point to all sides, so a stream along them has no direction. Use Surface, aim along a "
    "direction, or take an open mesh.":
        "{name}：法線があらゆる方向を向いていて、流れの向きが決まりません。「表面」にするか、方向を指定するか"
        "、開いたメッシュを使ってください。",
    "{name}: the flow direction has no length; give it one component at least.":
        "{name}：流れの方向の長さが 0 です。",
    "{name}: its liquid differs from that of {other}; all drops of a scene are of one liquid. Give both the same "
    "settings.":
        "{name}：液体が {other} と違います。シーンの液滴は一種類です。同じ設定にしてください。",
    "{name}: it is {size} m wide, but this liquid's capillary length is {length} mm: at that size surface tension does "
    "not show. Use Water, or scale the scene down {factor} times.":
        "{name}：幅が {size} m ですが、この液体の毛管長は {length} mm です。その大きさでは表面張力が見えませ"
        "ん。「水」を使うか、シーンを {factor} 分の 1 に縮めてください。",
    "{name}: {count} particles do not make a drop, {least} is the least. Set the particle spacing to {spacing} mm or "
    "finer.":
        "{name}：{count} 個の粒子では液滴になりません（最低 {least}）。間隔を {spacing} mm 以下にしてください"
        "。",
    "{name}: the liquid became unstable (a velocity is not a number). Lower the Courant number, or check for colliders "
    "that overlap or move very fast.":
        "{name}：液体が不安定になりました。クーラン数を下げるか、重なったコライダーや速すぎるコライダーがない"
        "か確かめてください。",
    "Tsubu was replaced or removed while it baked ({error}). Resume continues with the new one.":
        "ベイク中に Tsubu が入れ替えられたか、削除されました ({error})。「再開」で新しいもので続けられます。",
    # Whose a bake is, and what Reset did
    "{name} is left out: its collection is excluded from the view layer {layer}":
        "{name} は省かれます：コレクションがビューレイヤー {layer} から除外されています",
    "{name} is left out: it is disabled in viewports": "{name} は省かれます：ビューポートで無効になっています",
    "{folder} was not baked from Blender": "{folder} は Blender からベイクされたものではありません",
    "{folder} belongs to scene {scene} of {file}": "{folder} は {file} のシーン {scene} のものです",
    "The bake belongs to scene {scene}, of which this one is a copy":
        "このベイクはシーン {scene} のもので、このシーンはそのコピーです",
    "The bake belongs to {file}, of which this file is a copy":
        "このベイクは {file} のもので、このファイルはそのコピーです",
    "The bake belongs to another running Blender (process {number}) that has the same file open":
        "このベイクは、同じファイルを開いている別の Blender（プロセス {number}）のものです",
    "{reason}. Bake again to get a folder of its own, or take the bake over":
        "{reason}。ベイクし直して専用のフォルダーを使うか、引き継いでください",
    "Nothing was running; errors are forgotten": "何も動いていませんでした。エラーの記録を消しました",
    "The bake was ended; it can be resumed": "ベイクを終わらせました。再開できます",
    "The worker did not answer and was ended; the bake can be resumed":
        "ワーカーが応答しないので終わらせました。ベイクは再開できます",
    "{what}; a stale lock was removed": "{what}。古いロックを取り除きました",
    # What buttons say
    "{name} is a scene of its own: press Bake, then render":
        "{name} は独立したシーンです：ベイクしてからレンダリングしてください",
    "Give {names} when you submit the job: they do not lie below its folder":
        "ジョブを投入するとき {names} を指定してください：ジョブのフォルダーの下にありません",
    "{path}: submit it to your farm, or try it here with openjd run":
        "{path}：ファームに投入するか、ここで openjd run で試してください",
    "{name}: {count} objects, frames {first} to {last}": "{name}：オブジェクト {count} 個、フレーム {first}～{last}",
    "{name}: {count} objects marked": "{name}：オブジェクト {count} 個に役割を付けました",
    "Copied to {count} of {all} objects": "{all} 個のうち {count} 個へコピーしました",
    "{name} has no surface; only meshes, curves, texts and instanced collections do":
        "{name} には面がありません。面があるのはメッシュ、カーブ、テキスト、インスタンス化したコレクションだ"
        "けです",
    "{name} is linked from {library}: mark it there, or make a library override first":
        "{name} は {library} からのリンクです：そこで役割を付けるか、先にライブラリオーバーライドを作ってくだ"
        "さい",
    "{name} is linked from another file": "{name} は別のファイルからのリンクです",
    "{name} is not in this view layer": "{name} はこのビューレイヤーにありません",
}  # fmt: skip
