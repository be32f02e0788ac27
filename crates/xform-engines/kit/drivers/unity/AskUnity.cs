// Not yet run.
//
// What Unity shows of the scenes of a folder: the importers of glTF and FBX, objects made by calls, and SetParent (../../README.md).
//
// 1. Install com.unity.cloud.gltfast or UnityGLTF, which import .gltf and .glb; say below which, in GltfImporter.
// 2. Copy the scenes into a folder of their own in Assets, and wait until they are imported.
// 3. Put this file into a folder Assets/Editor.
// 4. Tools > xform > Ask about a folder of scenes…
//
// It turns on "Preserve Hierarchy" of the FBX files in that folder, since Unity otherwise gives the only root the name of the file.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using UnityEditor;
using UnityEngine;
using Object = UnityEngine.Object;

public static class AskUnity
{
    // "glTFast", "UnityGLTF", or "UnityGLTF 1", which mirrored z. Importers differ: Unity's axes are left-handed, so each mirrors one.
    const string GltfImporter = "glTFast";

    const string MirroredX = "[[-1,0,0],[0,1,0],[0,0,1]]";
    const string MirroredZ = "[[1,0,0],[0,1,0],[0,0,-1]]";
    const string AsInGltf = "[[1,0,0],[0,1,0],[0,0,1]]";

    // The times at which a scene is asked about beside its rest.
    static readonly float[] Times = { 0, 0.5f, 1, 1.25f, 1.75f };

    [MenuItem("Tools/xform/Ask about a folder of scenes…")]
    static void Ask()
    {
        var folder = EditorUtility.OpenFolderPanel("Scenes, in a folder inside Assets", Application.dataPath, "");
        if (folder == "") return;
        if (!(folder.Replace('\\', '/') + "/").StartsWith(Application.dataPath + "/"))
        {
            EditorUtility.DisplayDialog("xform", "The folder is not inside Assets, so Unity has not imported it.", "OK");
            return;
        }
        var answers = EditorUtility.SaveFilePanel("Answers", "", "unity.jsonl", "jsonl");
        if (answers == "") return;
        var runs = RunsOf(folder.Replace('\\', '/'));
        File.WriteAllText(answers, string.Concat(runs.Select(run => run.Document() + "\n")));
        Debug.Log(string.Join("\n", runs.Select(run => run.Summary())));
    }

    static Run[] RunsOf(string folder)
    {
        var axes = GltfImporter == "UnityGLTF 1" ? MirroredZ : MirroredX;
        var name = "unity-" + GltfImporter.Replace(' ', '-');
        var api = new Run("unity/api", "api", "Transform: localPosition, localRotation and localScale as the file has them", AsInGltf, false);
        var kept = new Run("unity/SetParent", "keep-world", "the same, then SetParent(null) of each, alone", AsInGltf, false);
        var files = Directory.GetFiles(folder).OrderBy(file => file, StringComparer.Ordinal).ToList();
        var importer = GltfImporter + files.Where(IsGltf).Take(1).Select(file => PackageOf(AssetOf(file))).FirstOrDefault();
        var gltf = new Run(name + "/gltf", "gltf", importer, axes, true);
        var gltfKept = new Run(name + "/gltf-SetParent", "keep-world", importer + ", then SetParent(null) of each, alone", axes, true);
        // Of files with y up; others are turned above all nodes, unless "Bake Axis Conversion" is on.
        var fbx = new Run("unity-ModelImporter", "fbx", "ModelImporter with Preserve Hierarchy", MirroredX, true);
        foreach (var file in files)
        {
            var (scene, asset) = (Path.GetFileNameWithoutExtension(file), AssetOf(file));
            if (file.EndsWith(".fbx", StringComparison.OrdinalIgnoreCase)) fbx.Ask(scene, () => Moments(asset, null));
            if (!IsGltf(file)) continue;
            api.Ask(scene, () => AtRest(Made(InFile(file))));
            kept.Ask(scene, () => Kept(() => Made(InFile(file))));
            gltf.Ask(scene, () => Moments(asset, InFile(file)));
            gltfKept.Ask(scene, () => Kept(() => Imported(asset, InFile(file))));
        }
        return new[] { api, kept, gltf, gltfKept, fbx };
    }

    static bool IsGltf(string file) => new[] { ".gltf", ".glb" }.Contains(Path.GetExtension(file).ToLowerInvariant());

    static string AssetOf(string file) => "Assets" + file.Replace('\\', '/').Substring(Application.dataPath.Length);

    // The package of what imports an asset, with its version.
    static string PackageOf(string asset)
    {
        var importer = AssetImporter.GetAtPath(asset);
        if (importer == null) return "";
        var package = UnityEditor.PackageManager.PackageInfo.FindForAssembly(importer.GetType().Assembly);
        return package == null ? ", " + importer.GetType().FullName : ", " + package.name + " " + package.version;
    }

    // What is asked of a scene: objects by path, and what there is to remove afterwards.
    class Shown
    {
        public readonly Dictionary<string, Transform> Nodes = new Dictionary<string, Transform>();
        public readonly List<GameObject> Roots = new List<GameObject>();

        public void Remove()
        {
            foreach (var transform in Nodes.Values.Where(transform => transform != null && transform.parent == null).ToList())
                Object.DestroyImmediate(transform.gameObject);
            foreach (var root in Roots.Where(root => root != null).ToList()) Object.DestroyImmediate(root);
        }
    }

    // Importers

    static Shown Imported(string asset, Node[] inFile)
    {
        if (AssetImporter.GetAtPath(asset) is ModelImporter importer && !importer.preserveHierarchy)
        {
            importer.preserveHierarchy = true;
            importer.SaveAndReimport();
        }
        var prefab = AssetDatabase.LoadAssetAtPath<GameObject>(asset);
        if (prefab == null) throw new Exception("nothing was imported; is there an importer?");
        var top = Object.Instantiate(prefab);
        var shown = new Shown();
        shown.Roots.Add(top);
        if (inFile == null) ByObjects(top.transform, "", shown.Nodes);
        else ByFile(top.transform, inFile, shown.Nodes);
        return shown;
    }

    // All objects below the importer's own one.
    static void ByObjects(Transform above, string path, Dictionary<string, Transform> found)
    {
        foreach (Transform child in above)
        {
            found[path + child.name] = child;
            ByObjects(child, path + child.name + "/", found);
        }
    }

    // The objects that have the names of the file's nodes, by the paths in the file.
    static void ByFile(Transform top, Node[] inFile, Dictionary<string, Transform> found)
    {
        var roots = Roots(inFile);
        foreach (var root in roots) ByFile(top, inFile, root, "", top, found);
        // Where there is one root, importers may make it the asset's own object, which has the name of the file.
        var first = roots.Count == 1 ? inFile[roots[0]].Name(roots[0]) : "";
        if (roots.Count == 1 && !found.ContainsKey(first)) found[first] = top;
    }

    static void ByFile(Transform top, Node[] inFile, int index, string above, Transform within, Dictionary<string, Transform> found)
    {
        var name = inFile[index].Name(index);
        // What is skinned may be put elsewhere.
        var transform = Nearest(within, name) ?? Nearest(top, name);
        if (transform != null) found[above + name] = transform;
        foreach (var child in inFile[index].children ?? new int[0])
            ByFile(top, inFile, child, above + name + "/", transform ?? within, found);
    }

    // Of the objects below one, the nearest that has a name.
    static Transform Nearest(Transform above, string name)
    {
        var level = above.Cast<Transform>().ToList();
        while (level.Count > 0)
        {
            var named = level.FirstOrDefault(transform => transform.name == name);
            if (named != null) return named;
            level = level.SelectMany(transform => transform.Cast<Transform>()).ToList();
        }
        return null;
    }

    static string Moments(string asset, Node[] inFile)
    {
        var shown = Imported(asset, inFile);
        try
        {
            var moments = new List<string> { Moment(null, shown) };
            var clips = AssetDatabase.LoadAllAssetsAtPath(asset).OfType<AnimationClip>();
            // The importer of FBX adds a clip that its preview plays.
            var clip = clips.FirstOrDefault(one => !one.name.StartsWith("__preview__"));
            foreach (var seconds in clip == null ? new float[0] : Times)
            {
                clip.SampleAnimation(shown.Roots[0], seconds);
                moments.Add(Moment(seconds, shown));
            }
            return "[" + string.Join(",", moments) + "]";
        }
        finally
        {
            shown.Remove();
        }
    }

    static string AtRest(Shown shown)
    {
        try
        {
            return "[" + Moment(null, shown) + "]";
        }
        finally
        {
            shown.Remove();
        }
    }

    static string Moment(float? seconds, Shown shown)
    {
        var nodes = shown.Nodes.Select(node => Json(node.Key) + ":" + AnswerOf(node.Value));
        var vertices = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach (var node in shown.Nodes)
        {
            // A mesh may hang below the node, in an object that the importer added.
            var renderers = node.Value.GetComponentsInChildren<SkinnedMeshRenderer>();
            var own = renderers.Where(renderer => NodeOf(renderer.transform, shown) == node.Value).ToList();
            if (own.Count > 0) vertices[node.Key] = "[" + string.Join(",", own.SelectMany(Vertices).Select(Three)) + "]";
        }
        var all = vertices.Select(of => Json(of.Key) + ":" + of.Value);
        return "{\"seconds\":" + (seconds.HasValue ? Number(seconds.Value) : "null") + ",\"nodes\":{" + string.Join(",", nodes)
            + "},\"vertices\":{" + string.Join(",", all) + "}}";
    }

    static Transform NodeOf(Transform transform, Shown shown)
    {
        while (transform != null && !shown.Nodes.ContainsValue(transform)) transform = transform.parent;
        return transform;
    }

    // The vertices of joints and of blend shapes, in the world.
    static List<Vector3> Vertices(SkinnedMeshRenderer renderer)
    {
        var mesh = new Mesh();
        // With scale, what is baked is below the renderer's own matrix, as any mesh is.
        renderer.BakeMesh(mesh, true);
        var toWorld = renderer.transform.localToWorldMatrix;
        var vertices = mesh.vertices.Select(vertex => toWorld.MultiplyPoint3x4(vertex)).ToList();
        Object.DestroyImmediate(mesh);
        return vertices;
    }

    static string AnswerOf(Transform transform)
    {
        var (position, rotation, scale) = (transform.position, transform.rotation, transform.lossyScale);
        return "{\"world\":" + World(transform) + ",\"getters\":{\"position\":" + Three(position) + ",\"rotation\":"
            + Numbers(rotation.x, rotation.y, rotation.z, rotation.w) + ",\"scale\":" + Three(scale) + "}}";
    }

    // Unity's matrices act on columns, and their numbers are counted column by column.
    static string World(Transform transform)
    {
        var matrix = transform.localToWorldMatrix;
        return Numbers(Enumerable.Range(0, 16).Select(index => matrix[index]).ToArray());
    }

    static string Kept(Func<Shown> make)
    {
        var once = make();
        var paths = once.Nodes.Keys.Where(path => path.Contains("/")).ToList();
        once.Remove();
        var kept = new List<string>();
        foreach (var path in paths)
        {
            var shown = make();
            try
            {
                shown.Nodes[path].SetParent(null, true);
                kept.Add(Json(path) + ":{\"world\":" + World(shown.Nodes[path]) + "}");
            }
            finally
            {
                shown.Remove();
            }
        }
        return "[{\"seconds\":null,\"nodes\":{" + string.Join(",", kept) + "}}]";
    }

    // Objects by calls

    [Serializable]
    public class Node
    {
        public string name;
        public int[] children;
        public float[] translation, rotation, scale, matrix;

        public string Name(int index) => string.IsNullOrEmpty(name) ? "#" + index : name;
    }

    [Serializable]
    public class Document
    {
        public Node[] nodes;
    }

    static Node[] InFile(string file)
    {
        var bytes = File.ReadAllBytes(file);
        var isGlb = bytes.Length > 20 && Encoding.ASCII.GetString(bytes, 0, 4) == "glTF";
        var text = isGlb ? Encoding.UTF8.GetString(bytes, 20, BitConverter.ToInt32(bytes, 12)) : Encoding.UTF8.GetString(bytes);
        return JsonUtility.FromJson<Document>(text).nodes ?? new Node[0];
    }

    static List<int> Roots(Node[] inFile)
    {
        var below = new HashSet<int>(inFile.SelectMany(node => node.children ?? new int[0]));
        return Enumerable.Range(0, inFile.Length).Where(index => !below.Contains(index)).ToList();
    }

    static Shown Made(Node[] inFile)
    {
        if (inFile.Any(node => Has(node.matrix))) throw new Exception("a Transform takes no matrix");
        var shown = new Shown();
        foreach (var root in Roots(inFile)) Make(inFile, root, "", null, shown.Nodes);
        return shown;
    }

    static void Make(Node[] inFile, int index, string above, Transform parent, Dictionary<string, Transform> nodes)
    {
        var node = inFile[index];
        var made = nodes[above + node.Name(index)] = new GameObject(node.Name(index)).transform;
        made.SetParent(parent, false);
        var (t, r, s) = (node.translation, node.rotation, node.scale);
        if (Has(t)) made.localPosition = new Vector3(t[0], t[1], t[2]);
        if (Has(r)) made.localRotation = new Quaternion(r[0], r[1], r[2], r[3]);
        if (Has(s)) made.localScale = new Vector3(s[0], s[1], s[2]);
        foreach (var child in node.children ?? new int[0]) Make(inFile, child, above + node.Name(index) + "/", made, nodes);
    }

    // JsonUtility may give an empty list for one that is not there.
    static bool Has(float[] numbers) => numbers != null && numbers.Length > 0;

    // Documents

    class Run
    {
        readonly string name, asked, how, axes;
        readonly bool ofEveryNode;
        readonly SortedDictionary<string, string> scenes = new SortedDictionary<string, string>(StringComparer.Ordinal);
        readonly SortedDictionary<string, string> failed = new SortedDictionary<string, string>(StringComparer.Ordinal);

        public Run(string name, string asked, string how, string axes, bool ofEveryNode)
        {
            this.name = name;
            this.asked = asked;
            this.how = how;
            this.axes = axes;
            this.ofEveryNode = ofEveryNode;
        }

        // Asks about a scene; where that fails, the reason is kept.
        public void Ask(string scene, Func<string> moments)
        {
            try
            {
                scenes[scene] = moments();
            }
            catch (Exception error)
            {
                failed[scene] = error.GetType().Name + ": " + error.Message;
            }
        }

        public string Document()
        {
            var texts = new[]
            {
                ("schema", "xform-answers/1"), ("run", name), ("engine", "unity"), ("version", "Unity " + Application.unityVersion),
                ("date", DateTime.Now.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture)),
                ("by", "the editor on " + SystemInfo.operatingSystem), ("asked", asked), ("how", how),
            };
            return "{" + string.Concat(texts.Select(text => Json(text.Item1) + ":" + Json(text.Item2) + ","))
                + "\"axes\":{\"from_gltf\":" + axes + ",\"of_every_node\":" + (ofEveryNode ? "true" : "false") + ",\"units_per_metre\":1},"
                + "\"scenes\":{" + string.Join(",", scenes.Select(scene => Json(scene.Key) + ":" + scene.Value)) + "},"
                + "\"failed\":{" + string.Join(",", failed.Select(scene => Json(scene.Key) + ":" + Json(scene.Value))) + "}}";
        }

        public string Summary()
        {
            return name + ": " + scenes.Count + " scenes" + string.Concat(failed.Select(scene => "\n  " + scene.Key + ": " + scene.Value));
        }
    }

    static string Three(Vector3 vector) => Numbers(vector.x, vector.y, vector.z);

    static string Numbers(params float[] numbers) => "[" + string.Join(",", numbers.Select(Number)) + "]";

    // What is not finite is null.
    static string Number(float number)
    {
        var isFinite = !float.IsNaN(number) && !float.IsInfinity(number);
        return isFinite ? number.ToString("R", CultureInfo.InvariantCulture) : "null";
    }

    static string Json(string text)
    {
        var quoted = new StringBuilder("\"");
        foreach (var letter in text)
        {
            if (letter == '"' || letter == '\\') quoted.Append('\\').Append(letter);
            else if (letter < ' ') quoted.Append("\\u").Append(((int)letter).ToString("x4"));
            else quoted.Append(letter);
        }
        return quoted.Append('"').ToString();
    }
}
