package shop

import java.util.List
import java.io.File

/** Sells. */
class Shop<T>(val name: String, private var n: Int) : Base(), IShape where T : Any {
    val items = mutableListOf<T>()
    companion object {
        const val LIMIT = 3
        fun create(): Shop<Int> = Shop("a", 1)
    }
    override fun area(unit: String): Double {
        fun helper(x: Int) = x + 1
        return 1.0
    }
    inner class Item { fun price() = 3 }
}

interface IShape { fun area(unit: String): Double }
data class Pair(val left: Int, val right: Int)
enum class Color { RED, GREEN }
object Single { fun go() {} }
fun plain(a: Int, b: String = "x"): Int = a
fun String.ext(): Int { return 1 }
val top = 5
typealias Handler = (Int) -> Unit
