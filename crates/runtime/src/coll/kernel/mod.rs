//! Element by element: what a reduction does with two vectors. Integers; they wrap.
use super::Kernel;
pub trait Reducible<O>: Copy {
    fn f(a: Self, b: Self) -> Self;
}
pub struct Sum;
pub struct Prod;
pub struct Max;
pub struct Min;
pub struct And;
pub struct Or;
pub struct Xor;
macro_rules! ints { ($($t:ty),*) => { $(
impl Reducible<Sum> for $t { fn f(a:Self,b:Self)->Self{a.wrapping_add(b)} }
impl Reducible<Prod> for $t { fn f(a:Self,b:Self)->Self{a.wrapping_mul(b)} }
impl Reducible<Max> for $t { fn f(a:Self,b:Self)->Self{a.max(b)} }
impl Reducible<Min> for $t { fn f(a:Self,b:Self)->Self{a.min(b)} }
impl Reducible<And> for $t { fn f(a:Self,b:Self)->Self{a&b} }
impl Reducible<Or> for $t { fn f(a:Self,b:Self)->Self{a|b} }
impl Reducible<Xor> for $t { fn f(a:Self,b:Self)->Self{a^b} }
)* } }
ints!(i8, i16, i32, i64, u8, u16, u32, u64, isize, usize);
unsafe fn run<T: Reducible<O>, O>(into: *mut u8, a: *const u8, b: *const u8, bytes: usize) {
    for i in 0..bytes / size_of::<T>() {
        // SAFETY: whole elements within both vectors, as the kernel's caller promises.
        unsafe {
            into.cast::<T>()
                .add(i)
                .write_unaligned(T::f(a.cast::<T>().add(i).read_unaligned(), b.cast::<T>().add(i).read_unaligned()))
        }
    }
}
pub fn of<T: Reducible<O>, O>() -> Kernel {
    run::<T, O>
}
