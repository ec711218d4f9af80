package android.os;

/** A fake for tests. */
public class RemoteException extends Exception {
    public RemoteException(String message) {
        super(message);
    }
}
