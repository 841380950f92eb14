//! C++ overloads: the type-generic names as inline functions.

use super::{all_symbols, c11, prototypes::spell};
use ferrite_abi::{CType, Context, Routine, Shape, Symbol, declare, symbols};

/// An inline function for each type of each generic, with and without a context. Routines of complex types also get an overload for
/// `std::complex`.
pub fn overloads(rows: &[Routine]) -> String {
    let mut text = String::new();
    for generic in c11::collect(rows) {
        for symbol in chosen(&generic) {
            if !taken(&generic.name, &symbol, rows) {
                text += &one(&generic.name, &symbol);
                text += &over_std_complex(&generic.name, &symbol);
            }
            text += &over_volatile(&generic.name, &symbol);
        }
    }
    let typed = all_symbols(rows).into_iter().map(|symbol| beside_the_c_function(&symbol));
    text + &typed.collect::<String>()
}

/// The routines that a generic chooses among.
fn chosen(generic: &c11::Generic) -> Vec<Symbol> {
    if generic.rows[0].shape == Shape::Plain {
        return generic.rows.iter().flat_map(symbols).collect();
    }
    let types = generic.types();
    let one = |&(element, row): &(&'static CType, &Routine), twin: bool| {
        symbols(row).into_iter().find(|s| s.twin == twin && s.element == Some(element))
    };
    let plain = types.iter().filter_map(|t| one(t, false));
    let twins = types.iter().filter(|(_, row)| row.context == Context::Twin).filter_map(|t| one(t, true));
    plain.chain(twins).collect()
}

/// True if a C function already has this name and these arguments.
fn taken(name: &str, symbol: &Symbol, rows: &[Routine]) -> bool {
    let types = |s: &Symbol| s.args.iter().map(|a| a.c.clone()).collect::<Vec<_>>();
    rows.iter().flat_map(symbols).any(|other| other.name == name && types(&other) == types(symbol))
}

fn one(name: &str, symbol: &Symbol) -> String {
    let args: Vec<String> = symbol.args.iter().map(|a| a.name.clone()).collect();
    forwarding(&spell(&symbol.prototype_as(name)), symbol, &args)
}

/// A function with this head that calls the routine.
fn forwarding(head: &str, symbol: &Symbol, args: &[String]) -> String {
    let result = if symbol.result == "void" { "" } else { "return " };
    format!("_SHMEM_INLINE {head} {{ {result}{}({}); }}\n", symbol.name, args.join(", "))
}

/// An overload for `std::complex` of a routine of a complex type, under the routine's own name.
///
/// It is a template, although there is nothing to deduce: if the arguments fit both functions, as null pointers do, overload resolution
/// prefers the C function. So such a call means the same as without the overload.
fn beside_the_c_function(symbol: &Symbol) -> String {
    match over_std_complex(&symbol.name, symbol) {
        overload if overload.is_empty() => overload,
        overload => format!("template <int = 0> {overload}"),
    }
}

/// An overload for a volatile variable, where programs use such variables. It is made for generic names only: `auto f = shmem_set_lock`
/// would become ambiguous if that name had a second function.
fn over_volatile(name: &str, symbol: &Symbol) -> String {
    if !symbol.row.may_be_volatile() {
        return String::new();
    }
    let watched = &symbol.args[0];
    let plain = declare(&watched.c, &watched.name);
    let head = spell(&symbol.prototype_as(name).replace(&plain, &format!("volatile {plain}")));
    let mut args: Vec<String> = symbol.args.iter().map(|a| a.name.clone()).collect();
    args[0] = format!("const_cast<{}>({})", spell(&watched.c), watched.name);
    forwarding(&head, symbol, &args)
}

/// An overload for `std::complex`, if the routine has a complex type.
fn over_std_complex(name: &str, symbol: &Symbol) -> String {
    let Some(element) = symbol.element.filter(|e| e.c.ends_with(" _Complex")) else { return String::new() };
    let real = element.c.trim_end_matches(" _Complex");
    let head = symbol.prototype_as(name).replace(element.c, &format!("std::complex<{real}>"));
    let args: Vec<String> = symbol
        .args
        .iter()
        .map(|a| {
            if a.c.contains("_Complex") {
                format!("reinterpret_cast<{}>({})", spell(&a.c), a.name)
            } else {
                a.name.clone()
            }
        })
        .collect();
    forwarding(&head, symbol, &args)
}
