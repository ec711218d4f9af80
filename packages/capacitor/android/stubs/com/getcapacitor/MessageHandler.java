package com.getcapacitor;

/** A stub. */
public class MessageHandler {
    public void sendResponseMessage(PluginCall call, PluginResult successResult, PluginResult errorResult) {}
}
