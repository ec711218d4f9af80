package members;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code FakesCheck FAKES API}: the fakes of {@code android} have no member that the API lacks, but those named fake. */
final class FakesCheck {
    public static void main(String[] arguments) throws Exception {
        ClassFiles fakes = ClassFiles.read(Path.of(arguments[0]));
        ClassFiles api = ClassFiles.read(Path.of(arguments[1]));
        List<String> wrong = new ArrayList<>();
        int classes = 0;
        int members = 0;
        for (ClassFiles.Declared fake : fakes.classes.values()) {
            boolean isAnonymous = fake.name().matches(".*\\$\\d+.*");
            if (!fake.name().startsWith("android/") || isAnonymous) continue;
            classes++;
            if (!api.classes.containsKey(fake.name())) wrong.add("class " + fake.name());
            for (Map.Entry<String, Object> member : fake.members().entrySet()) {
                if (member.getKey().toLowerCase(Locale.ROOT).startsWith("fake")) continue;
                // The compiler writes a constructor where the API declares none.
                if (member.getKey().startsWith("<init>()")) continue;
                members++;
                Object declared = api.find(fake.name(), member.getKey());
                boolean isSame = declared != null && (isNoConstant(member) || declared.equals(member.getValue()));
                if (!isSame) wrong.add(fake.name() + "." + member.getKey());
            }
        }
        System.out.println("Fakes: " + classes + " classes, " + members + " members, " + wrong.size() + " not of the API");
        wrong.forEach(System.out::println);
        System.exit(wrong.isEmpty() && members > 0 ? 0 : 1);
    }

    private static boolean isNoConstant(Map.Entry<String, Object> member) {
        return member.getValue() == ClassFiles.NO_CONSTANT;
    }
}
