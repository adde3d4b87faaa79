//! Sells things.

use std::collections::HashMap;
use std::io::{self, Read};

/// How many at once.
pub const LIMIT: usize = 3;
static mut COUNT: u32 = 0;

#[derive(Debug, Clone)]
pub struct Shop<'a, T: Clone> {
    /// Over the door.
    pub name: &'a str,
    stock: HashMap<String, T>, // what it holds
}

pub struct Unit;
struct Tuple(u32, String);

pub enum Color {
    Red,
    Green { shade: u8 },
    Blue(u8),
}

pub trait Shape: Sized {
    const SIDES: usize;
    type Unit;
    fn area(&self, unit: Self::Unit) -> f64;
    fn name(&self) -> String {
        String::new()
    }
}

impl<'a, T: Clone> Shape for Shop<'a, T> {
    const SIDES: usize = 4;
    type Unit = ();

    #[inline]
    fn area(&self, unit: ()) -> f64 {
        fn helper() -> f64 {
            1.0
        }
        helper()
    }
}

impl<T> Shop<'_, T>
where
    T: Clone,
{
    pub(crate) async unsafe fn find<'b>(
        &'b self, // whom
        key: &str,
    ) -> Option<&'b T> {
        None
    }
}

macro_rules! shout {
    ($x:expr) => {
        println!("{}", $x)
    };
}

mod tests {
    use super::*;

    #[test]
    fn works() {}
}

extern "C" {
    fn from_c(x: i32) -> i32;
}

pub type Pair<T> = (T, T);
union Raw {
    a: u32,
    b: f32,
}
