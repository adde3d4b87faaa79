#include <vector>
#define SHOP_API

using std::string;

namespace shop {
namespace detail {
constexpr int limit = 3;
}

/// Sells things.
template <typename T, int N = 4>
class SHOP_API Shop : public Base<T>, private Other {
 public:
  using Items = std::vector<T>;
  enum class Color : int { Red, Green };

  Shop();
  explicit Shop(const T& first) : first_(first) {}
  virtual ~Shop() = default;
  Shop& operator=(const Shop&) = delete;
  bool operator==(const Shop& other) const { return true; }
  operator bool() const { return true; }

  virtual T* find(const string& key, int flags = 0) const noexcept = 0;
  template <typename U>
  static U convert(U value) {
    auto local = [](int x) { return x; };
    return value;
  }

 private:
  T first_;  // the first
  static int count_;
  T& reference_;
};

template <typename T, int N>
Shop<T, N>::Shop() {}

struct Point {
  int x, y;
};

int free_function(const Point& p, int (*f)(int));

const Point& reference_function(Point& p) { return p; }

template <>
struct Shop<int, 1> {};

template <typename T>
concept Sized = requires(T t) { t.size(); };
}  // namespace shop

int shop_main(int argc, char** argv) {
  struct Local {
    int z;
  };
  return 0;
}

bool shop::detail::check(int a) { return a; }
