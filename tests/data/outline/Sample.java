package shop;

import java.util.List;
import java.util.Map;

/**
 * Sells things.
 *
 * @since 1
 */
@Deprecated
@SuppressWarnings({"unchecked", "rawtypes", "and more that is too long to be shown here"})
public abstract class Sample<T extends Comparable<T>> extends Base implements Shape, Other {
    /** How many at once. */
    public static final int LIMIT = 3;
    private T first, second; // two of them

    static {
        int local = 1;
    }

    public Sample(T first) {
        this.first = first;
    }

    @Override
    public <A> List<A> find(
            Map<String, A> from, // where
            int... rest) throws Exception {
        Runnable task = new Runnable() {
            @Override
            public void run() {
                int x = 1;
            }
        };
        return null;
    }

    protected abstract void later();

    enum Color implements Shape {
        RED(1), // warm
        GREEN(2) {
            @Override
            int value() {
                return 2;
            }
        };

        private final int code;

        Color(int code) {
            this.code = code;
        }
    }

    interface Inner {
        int SIZE = 1;

        default void work() {}
    }

    record Point(int x, int y) {
        Point {
            assert x > 0;
        }
    }

    @interface Marked {
        String value() default "";
    }
}
