package android.os;

/** A fake for tests: what the code of the AIDL compiler needs of it. */
public class Binder implements IBinder {
    private IInterface owner;
    private String descriptor;

    public void attachInterface(IInterface owner, String descriptor) {
        this.owner = owner;
        this.descriptor = descriptor;
    }

    @Override
    public IInterface queryLocalInterface(String descriptor) {
        return descriptor.equals(this.descriptor) ? owner : null;
    }

    protected boolean onTransact(int code, Parcel data, Parcel reply, int flags) throws RemoteException {
        return false;
    }

    @Override
    public final boolean transact(int code, Parcel data, Parcel reply, int flags) throws RemoteException {
        data.fakeRewind();
        boolean isKnown = onTransact(code, data, reply, flags);
        reply.fakeRewind();
        return isKnown;
    }
}
