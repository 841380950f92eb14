//! Extensions: values that crates above the runtime add to a started world or to a context, one of each type, of at most four types.

use crate::{Site, World};
use core::any::Any;
use std::sync::{Arc, OnceLock};

/// Maximum number of types of extensions.
const TYPES_MAX: usize = 4;

/// The extensions of one world, or of one context.
#[derive(Default)]
pub(crate) struct Extensions([OnceLock<Arc<dyn Any + Send + Sync>>; TYPES_MAX]);

impl Extensions {
    /// The value of type `T`. The first call adds the default.
    pub fn get<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let values = self.0.iter().map(|place| Arc::clone(place.get_or_init(|| Arc::<T>::default())));
        values.flat_map(Arc::downcast).next().expect("there are places for all types")
    }
}

impl World {
    /// The extension of type `T` of the started world: at first `T::default()`. Finalize drops it. There is room for four types.
    pub fn extension<T: Any + Default + Send + Sync>(&self, site: &'static Site) -> Arc<T> {
        self.require_live(site).extensions.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::Mutex, thread};

    #[test]
    fn each_type_has_one_value_for_all_threads() {
        let extensions = Extensions::default();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    extensions.get::<Mutex<Vec<u8>>>().lock().unwrap().push(1);
                    extensions.get::<Mutex<Vec<u16>>>().lock().unwrap().push(2);
                });
            }
        });
        assert_eq!(*extensions.get::<Mutex<Vec<u8>>>().lock().unwrap(), [1; 4]);
        assert_eq!(*extensions.get::<Mutex<Vec<u16>>>().lock().unwrap(), [2; 4]);
    }
}
