package fakes;

import android.content.ComponentName;
import android.content.Intent;
import android.content.ServiceConnection;
import android.os.Bundle;
import android.os.DeadObjectException;
import android.os.IBinder;
import android.os.IInterface;
import android.os.Looper;
import android.os.Parcel;
import android.os.RemoteException;
import com.google.android.finsky.externalreferrer.IGetInstallReferrerService;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Google Play with the service of its referrer, whose server side is what the AIDL compiler writes. */
public final class FakePlay {
    public enum State { ANSWERS, MISSING, REFUSES, HANGS, GIVES_NULL, DIES_AT_CONNECTION, DIES_IN_CALL }

    public volatile State state = State.MISSING;
    public volatile String referrer;
    public volatile long clickedAt;
    public volatile long serverClickedAt;
    public volatile long installBeganAt;
    public volatile long serverInstallBeganAt;
    public volatile int asked;
    public volatile long answersAfterMs;
    /** Deaths before it answers again. */
    public volatile int deaths = Integer.MAX_VALUE;
    private final Set<ServiceConnection> bound = new HashSet<>();

    public synchronized boolean bind(Intent intent, ServiceConnection connection) {
        ComponentName name = intent.getComponent();
        if (!name.getPackageName().equals("com.android.vending")
                || !name.getClassName().equals("com.google.android.finsky.externalreferrer.GetInstallReferrerService")
                || !intent.getAction().equals("com.google.android.finsky.BIND_GET_INSTALL_REFERRER_SERVICE"))
            throw new IllegalArgumentException("Another service than Play's: " + name.getClassName());
        if (state == State.REFUSES) throw new SecurityException("Not allowed to bind to service");
        bound.add(connection);
        if (state == State.MISSING) return false;
        Looper.FAKE_MAIN_THREAD.schedule(() -> connect(name, connection), answersAfterMs, TimeUnit.MILLISECONDS);
        return true;
    }

    public synchronized void unbind(ServiceConnection connection) {
        if (!bound.remove(connection)) throw new IllegalArgumentException("Service not registered");
    }

    public synchronized int connections() {
        return bound.size();
    }

    private void connect(ComponentName name, ServiceConnection connection) {
        switch (state) {
            case GIVES_NULL -> connection.onNullBinding(name);
            case DIES_AT_CONNECTION -> connection.onBindingDied(name);
            case DIES_IN_CALL -> connection.onServiceConnected(name, deaths-- > 0 ? new Dead() : new Service());
            case ANSWERS -> connection.onServiceConnected(name, new Service());
            default -> {}
        }
    }

    private final class Service extends IGetInstallReferrerService.Stub {
        @Override
        public Bundle getInstallReferrer(Bundle request) {
            asked++;
            if (!request.getString("package_name").equals(FakePhone.PACKAGE)) throw new SecurityException("Another package");
            Bundle answer = new Bundle();
            answer.putString("install_referrer", referrer);
            answer.putLong("referrer_click_timestamp_seconds", clickedAt);
            answer.putLong("referrer_click_timestamp_server_seconds", serverClickedAt);
            answer.putLong("install_begin_timestamp_seconds", installBeganAt);
            answer.putLong("install_begin_timestamp_server_seconds", serverInstallBeganAt);
            return answer;
        }
    }

    private static final class Dead implements IBinder {
        @Override
        public boolean transact(int code, Parcel data, Parcel reply, int flags) throws RemoteException {
            throw new DeadObjectException("Play ended");
        }

        @Override
        public IInterface queryLocalInterface(String descriptor) {
            return null;
        }
    }
}
