package android.util;

/** A fake for tests. */
public class DisplayMetrics {
    public int widthPixels;
    public int heightPixels;
    public float density;
}
