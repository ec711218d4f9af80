package com.getcapacitor;

import android.content.Context;
import android.content.Intent;
import androidx.appcompat.app.AppCompatActivity;

/** A stub. */
public class Plugin {
    protected Bridge bridge;

    public void load() {}

    public Context getContext() {
        throw new UnsupportedOperationException("stub");
    }

    public AppCompatActivity getActivity() {
        throw new UnsupportedOperationException("stub");
    }

    public Bridge getBridge() {
        throw new UnsupportedOperationException("stub");
    }

    protected void notifyListeners(String eventName, JSObject data, boolean retainUntilConsumed) {}

    public void addListener(PluginCall call) {}

    protected void handleOnNewIntent(Intent intent) {}

    protected void handleOnDestroy() {}
}
