package members;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jetbrains.org.objectweb.asm.ClassReader;
import org.jetbrains.org.objectweb.asm.ClassVisitor;
import org.jetbrains.org.objectweb.asm.FieldVisitor;
import org.jetbrains.org.objectweb.asm.MethodVisitor;
import org.jetbrains.org.objectweb.asm.Opcodes;

/** Classes of a jar or folder, with the members that others see. */
final class ClassFiles {
    final Map<String, Declared> classes = new HashMap<>();

    /** @param members names with descriptors; the value is that of a constant. */
    record Declared(String name, String superclass, List<String> interfaces, Map<String, Object> members, byte[] bytes) {}

    static final Object NO_CONSTANT = new Object();

    static ClassFiles read(Path... places) throws IOException {
        ClassFiles files = new ClassFiles();
        for (Path place : places) {
            if (Files.isDirectory(place)) files.addFolder(place);
            else files.addJar(place);
        }
        return files;
    }

    /** @return the constant, NO_CONSTANT for another member, null without such a member. */
    Object find(String owner, String member) {
        Declared declared = classes.get(owner.startsWith("[") ? "java/lang/Object" : owner);
        if (declared == null) return null;
        Object found = declared.members.get(member);
        if (found != null || member.startsWith("<init>")) return found;
        if (declared.superclass != null) found = find(declared.superclass, member);
        for (String parent : declared.interfaces) if (found == null) found = find(parent, member);
        return found;
    }

    private void addFolder(Path folder) throws IOException {
        try (Stream<Path> walk = Files.walk(folder)) {
            for (Path file : walk.filter(it -> it.toString().endsWith(".class")).toList()) add(Files.readAllBytes(file));
        }
    }

    private void addJar(Path jar) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : zip.stream().filter(it -> it.getName().endsWith(".class")).toList())
                add(zip.getInputStream(entry).readAllBytes());
        }
    }

    private void add(byte[] bytes) {
        Map<String, Object> members = new HashMap<>();
        new ClassReader(bytes).accept(
                new ClassVisitor(Opcodes.ASM9) {
                    @Override
                    public void visit(int v, int access, String name, String s, String superclass, String[] interfaces) {
                        classes.put(name, new Declared(name, superclass, List.of(interfaces), members, bytes));
                    }

                    @Override
                    public MethodVisitor visitMethod(int access, String name, String descriptor, String s, String[] e) {
                        if (isSeen(access)) members.put(name + descriptor, NO_CONSTANT);
                        return null;
                    }

                    @Override
                    public FieldVisitor visitField(int access, String name, String descriptor, String s, Object value) {
                        if (isSeen(access)) members.put(name + ":" + descriptor, value == null ? NO_CONSTANT : value);
                        return null;
                    }
                },
                ClassReader.SKIP_CODE);
    }

    private static boolean isSeen(int access) {
        return (access & (Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED)) != 0 && (access & Opcodes.ACC_SYNTHETIC) == 0;
    }
}
