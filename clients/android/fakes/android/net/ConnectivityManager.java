package android.net;

import fakes.FakePhone;

/** A fake for tests. */
public class ConnectivityManager {
    public void registerDefaultNetworkCallback(NetworkCallback callback) {
        FakePhone.get().registerNetwork(callback);
    }

    public void unregisterNetworkCallback(NetworkCallback callback) {
        FakePhone.get().unregisterNetwork(callback);
    }

    public static class NetworkCallback {
        public void onAvailable(Network network) {}
    }
}
