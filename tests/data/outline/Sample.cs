using System;
using System.Collections.Generic;

namespace Shop.Core
{
    /// <summary>Sells things.</summary>
    [Serializable]
    public abstract partial class Shop<T> : Base, IShape where T : class
    {
        public const int Limit = 3; // how many at once
        private readonly List<T> items = new(), more = new();

        public event EventHandler Sold;

        public string Name { get; set; }
        public int Count => items.Count;
        public T this[int index] { get { return items[index]; } }

        public Shop(string name) : base(name)
        {
            Name = name;
        }

        ~Shop() { }

        [Obsolete("use Sell")]
        public async Task<T> Find<A>(string key, params A[] rest)
        {
            int Helper(int x) { return x; }
            return null;
        }

        public static Shop<T> operator +(Shop<T> a, Shop<T> b) => a;
        public static implicit operator bool(Shop<T> shop) => true;
        protected abstract void Later();

        public enum Color { Red, Green = 2 }
        public struct Point { public int X, Y; }
        public delegate void Handler(object sender);
    }

    public interface IShape { double Area(string unit); }

    public record Pair(int Left, int Right);
}
