import 'dart:io';
/// Sells.
abstract class Shop<T> extends Base implements Shape {
  final int limit = 3;
  String? name;
  Shop(this.name);
  Shop.named(String n) : name = n;
  int get count => 3;
  Future<T> find(String key, {int? rest}) async {
    int helper(int x) => x;
    return null;
  }
  void later();
}
mixin M on Shop {}
enum Color { red, green }
extension E on String { int ext() => 1; }
int plain(int a) { return a; }
typedef H = void Function(int);
const top = 5;
