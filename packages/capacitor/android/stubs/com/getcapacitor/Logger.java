package com.getcapacitor;

/** A stub. */
public class Logger {
    public static String tags(String... subtags) {
        throw new UnsupportedOperationException("stub");
    }

    public static void error(String tag, String message, Throwable e) {}
}
