//! The names that a row stands for, with their C prototypes.

use crate::{CType, Context, Instance, Routine, Shape, c_type, element};

/// An argument as C sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CArg {
    /// Its name in C.
    pub name: String,
    /// Its type, in C.
    pub c: String,
}

/// A function of the C interface.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name; the profiling interface has the same name with the prefix `p`.
    pub name: String,
    /// The type of its result.
    pub result: String,
    /// Its arguments, in order.
    pub args: Vec<CArg>,
    /// Its element type, if its name has one.
    pub element: Option<&'static CType>,
    /// Whether it is the twin that takes a context first.
    pub twin: bool,
    /// The row it comes from.
    pub row: Routine,
}

impl Symbol {
    /// The prototype, without a semicolon, with the function named `name`.
    pub fn prototype_as(&self, name: &str) -> String {
        let mut args: Vec<String> = self.args.iter().map(|a| declare(&a.c, &a.name)).collect();
        if self.row.facts.variadic {
            args.push("...".to_owned());
        }
        if args.is_empty() {
            args.push("void".to_owned());
        }
        format!("{}({})", declare(&self.result, name), args.join(", "))
    }

    /// The prototype, without a semicolon.
    pub fn prototype(&self) -> String {
        self.prototype_as(&self.name)
    }

    /// True if a call never returns.
    pub fn diverges(&self) -> bool {
        self.row.result == "!"
    }
}

/// The declaration of a variable or function of this type.
pub fn declare(c: &str, name: &str) -> String {
    if c.ends_with('*') { format!("{c}{name}") } else { format!("{c} {name}") }
}

/// All functions that a row stands for: those without a context first, then their twins.
pub fn symbols(row: &Routine) -> Vec<Symbol> {
    let mut all: Vec<Symbol> = row.instances.iter().map(|i| symbol(row, i, false)).collect();
    if row.context == Context::Twin {
        all.extend(row.instances.iter().map(|i| symbol(row, i, true)));
    }
    all
}

fn symbol(row: &Routine, instance: &Instance, twin: bool) -> Symbol {
    let element = if row.shape == Shape::Typed { element(instance.name) } else { None };
    let t = element.map_or("void", |e| e.c);
    let ctx = if twin { "ctx_" } else { "" };
    let (prefix, stem, suffix, name) = (row.prefix, row.stem, row.suffix, instance.name);
    let name = match row.shape {
        Shape::Typed => format!("{prefix}{ctx}{name}_{stem}"),
        Shape::Sized => format!("{prefix}{ctx}{stem}{name}{suffix}"),
        Shape::Plain if row.context == Context::Twin => format!("{prefix}{ctx}{stem}"),
        Shape::Plain => stem.to_owned(),
    };
    let leading = twin.then(|| CArg { name: "ctx".to_owned(), c: "shmem_ctx_t".to_owned() });
    let rest = row.args.iter().map(|a| CArg { name: a.name.to_owned(), c: c_type(a.rust, t) });
    let args = leading.into_iter().chain(rest).collect();
    Symbol { name, result: c_type(row.result, t), args, element, twin, row: *row }
}
