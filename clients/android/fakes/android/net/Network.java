package android.net;

/** A fake for tests. */
public class Network {}
