package android.os;

/** A fake for tests. */
public interface IInterface {
    IBinder asBinder();
}
