package android.os;

/** A fake for tests. */
public class Build {
    public static String MODEL = "Pixel 9";

    public static class VERSION {
        public static int SDK_INT = 29;
        public static String RELEASE = "15";
    }

    public static class VERSION_CODES {
        public static final int P = 28;
    }
}
