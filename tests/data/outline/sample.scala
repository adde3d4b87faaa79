package shop
import scala.collection.mutable
trait Shape { def area(unit: String): Double }
class Shop[T](val name: String) extends Base with Shape {
  val items = mutable.Buffer[T]()
  def area(unit: String): Double = {
    def helper(x: Int): Int = x
    1.0
  }
}
object Shop { def apply(n: String) = new Shop[Int](n) }
case class Pair(l: Int, r: Int)
