package android.os;

import java.util.ArrayList;
import java.util.List;

/** A fake for tests: keeps values with their order, and throws where another one is read. */
public final class Parcel {
    private final List<Object> values = new ArrayList<>();
    private int place;

    public static Parcel obtain() {
        return new Parcel();
    }

    public final void recycle() {
        values.clear();
    }

    public final void writeInterfaceToken(String name) {
        values.add("interface " + name);
    }

    public final void enforceInterface(String name) {
        if (!fakeRead().equals("interface " + name)) throw new SecurityException("Binder invocation to an incorrect interface");
    }

    public final void writeInt(int value) {
        values.add(value);
    }

    public final int readInt() {
        return (Integer) fakeRead();
    }

    public final void writeString(String value) {
        values.add(value);
    }

    public final void writeNoException() {
        values.add("no exception");
    }

    public final void readException() {
        Object state = fakeRead();
        if (!state.equals("no exception")) throw new IllegalStateException("An exception of the service: " + state);
    }

    public void fakeWrite(Object value) {
        values.add(value);
    }

    public Object fakeRead() {
        if (place >= values.size()) throw new IllegalStateException("The parcel has no more values");
        return values.get(place++);
    }

    public void fakeRewind() {
        place = 0;
    }
}
