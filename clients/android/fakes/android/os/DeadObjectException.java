package android.os;

/** A fake for tests. */
public class DeadObjectException extends RemoteException {
    public DeadObjectException(String message) {
        super(message);
    }
}
