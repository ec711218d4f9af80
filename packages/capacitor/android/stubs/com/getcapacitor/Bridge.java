package com.getcapacitor;

/** A stub. */
public class Bridge {
    public void executeOnMainThread(Runnable runnable) {}

    public void releaseCall(PluginCall call) {}
}
