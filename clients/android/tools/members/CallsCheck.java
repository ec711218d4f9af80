package members;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jetbrains.org.objectweb.asm.ClassReader;
import org.jetbrains.org.objectweb.asm.ClassVisitor;
import org.jetbrains.org.objectweb.asm.Handle;
import org.jetbrains.org.objectweb.asm.MethodVisitor;
import org.jetbrains.org.objectweb.asm.Opcodes;

/**
 * {@code CallsCheck API API_23 SINCE JAR…}: the jars name nothing of Android and Java that API 29 lacks, and nothing that
 * API 26 lacks but behind a question for the version. What is not in API 23 stands in SINCE with its level.
 */
final class CallsCheck {
    /** @param places classes that may use a member above API 26; empty for any. */
    private record Since(int level, Set<String> places) {}

    private record Use(String place, String owner, String member) {
        String name() {
            return member.isEmpty() ? owner : owner + "." + member.replaceAll("[(:].*", "");
        }

        String packageName() {
            return owner.substring(0, owner.lastIndexOf('/') + 1);
        }
    }

    public static void main(String[] arguments) throws Exception {
        ClassFiles api = ClassFiles.read(Path.of(arguments[0]));
        ClassFiles oldApi = ClassFiles.read(Path.of(arguments[1]));
        Map<String, Since> known = readSince(Path.of(arguments[2]));
        Path[] jars = Arrays.stream(arguments).skip(3).map(Path::of).toArray(Path[]::new);
        Set<String> unused = new HashSet<>(known.keySet());
        Set<String> wrong = new TreeSet<>();
        int uses = 0;
        for (Use use : usesOf(ClassFiles.read(jars))) {
            uses++;
            if (!has(api, use)) wrong.add("not in API 29: " + use);
            if (has(oldApi, use)) continue;
            String name = known.containsKey(use.name()) ? use.name() : use.packageName();
            Since since = known.get(name);
            unused.remove(name);
            if (since == null) wrong.add("not in API 23, and not in since.txt: " + use);
            else if (since.level > 26 && !since.places.contains(use.place)) wrong.add("API " + since.level + ": " + use);
        }
        for (String name : unused) wrong.add("in since.txt, but not used: " + name);
        System.out.println("Calls: " + uses + " to Android and Java, " + wrong.size() + " not of API 26");
        wrong.forEach(System.out::println);
        System.exit(wrong.isEmpty() && uses > 0 ? 0 : 1);
    }

    private static boolean has(ClassFiles api, Use use) {
        if (use.member.isEmpty()) return api.classes.containsKey(use.owner);
        return api.find(use.owner, use.member) != null;
    }

    private static Map<String, Since> readSince(Path file) throws IOException {
        Map<String, Since> known = new HashMap<>();
        for (String line : Files.readAllLines(file)) {
            if (line.isBlank() || line.startsWith("#")) continue;
            String[] words = line.split(" ");
            Set<String> places = Set.copyOf(Arrays.asList(words).subList(2, words.length));
            known.put(words[1], new Since(Integer.parseInt(words[0]), places));
        }
        return known;
    }

    private static List<Use> usesOf(ClassFiles jars) {
        List<Use> uses = new ArrayList<>();
        for (ClassFiles.Declared declared : jars.classes.values()) {
            String place = declared.name();
            new ClassReader(declared.bytes()).accept(
                    new ClassVisitor(Opcodes.ASM9) {
                        @Override
                        public MethodVisitor visitMethod(int a, String n, String d, String s, String[] e) {
                            return new UseVisitor(place, uses);
                        }
                    },
                    0);
        }
        return uses;
    }

    private static final class UseVisitor extends MethodVisitor {
        private final String place;
        private final List<Use> uses;

        UseVisitor(String place, List<Use> uses) {
            super(Opcodes.ASM9);
            this.place = place;
            this.uses = uses;
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            add(owner, name + descriptor);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            add(owner, name + ":" + descriptor);
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            add(type, "");
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
            for (Object argument : arguments)
                if (argument instanceof Handle called) add(called.getOwner(), called.getName() + called.getDesc());
        }

        private void add(String owner, String member) {
            if (owner.startsWith("android/") || owner.startsWith("java/") || owner.startsWith("javax/"))
                uses.add(new Use(place, owner, member));
        }
    }
}
