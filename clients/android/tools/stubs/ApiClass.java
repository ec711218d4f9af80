package stubs;

import java.util.ArrayList;
import java.util.List;

/** A class as a signature file declares it. */
final class ApiClass {
    final String packageName;
    /** With its outer classes: {@code Build.VERSION}. */
    final String name;
    final Kind kind;
    final int access;
    /** The text between the angle brackets after the name. */
    final String typeParameters;
    final String superclass;
    final List<String> interfaces;
    final List<String> members = new ArrayList<>();

    enum Kind { CLASS, INTERFACE, ENUM, ANNOTATION }

    ApiClass(
            String packageName,
            String name,
            Kind kind,
            int access,
            String typeParameters,
            String superclass,
            List<String> interfaces) {
        this.packageName = packageName;
        this.name = name;
        this.kind = kind;
        this.access = access;
        this.typeParameters = typeParameters;
        this.superclass = superclass;
        this.interfaces = interfaces;
    }

    String dottedName() {
        return packageName + "." + name;
    }

    String internalName() {
        return packageName.replace('.', '/') + "/" + name.replace('.', '$');
    }

    boolean isInterface() {
        return kind == Kind.INTERFACE || kind == Kind.ANNOTATION;
    }

    /** @return null for a class of the top. */
    String outerName() {
        int dot = name.lastIndexOf('.');
        return dot < 0 ? null : name.substring(0, dot);
    }
}
