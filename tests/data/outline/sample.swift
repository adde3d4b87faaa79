import Foundation
/// Sells.
public class Shop<T>: Base, IShape where T: Equatable {
    let limit = 3
    var name: String { get { return "a" } }
    init(name: String) { self.name = name }
    deinit { }
    func find(key: String, rest: Int...) async throws -> T? {
        func helper(_ x: Int) -> Int { return x }
        return nil
    }
    static func == (a: Shop, b: Shop) -> Bool { true }
    enum Color { case red, green }
}
protocol IShape { func area(unit: String) -> Double }
struct Point { var x: Int }
extension Shop { func more() {} }
func plain(a: Int) -> Int { a }
typealias H = (Int) -> Void
