//! Interface bodies: the declarations of C routines and Fortran procedures in the module.

use ferrite_abi::{
    CArg, Symbol,
    fortran::{Procedure, Returned, Role},
};

/// A type in Fortran and in C, for generics.
#[derive(Clone, Copy)]
pub(super) struct Type {
    /// Its abbreviation in the names of specifics.
    pub short: &'static str,
    /// Its declaration in Fortran.
    pub fortran: &'static str,
    /// The name of the element type in C's typed routines, if they have it.
    pub c: Option<&'static str>,
    /// The size in the names of C's untyped routines, if they can move it.
    pub size: Option<&'static str>,
    /// The size in the names of Fortran's procedures, if they have it.
    pub entry: Option<&'static str>,
}

const fn of(
    short: &'static str,
    fortran: &'static str,
    c: Option<&'static str>,
    size: Option<&'static str>,
    entry: Option<&'static str>,
) -> Type {
    Type { short, fortran, c, size, entry }
}

/// The types that generics accept: those that C has. LOGICAL and REAL(16) are not among them; programs use `shmem_logical_put`,
/// `shmem_put128` and so on.
pub(super) const TYPES: &[Type] = &[
    of("i1", "integer(c_int8_t)", Some("int8"), None, Some("mem")),
    of("i2", "integer(c_int16_t)", Some("int16"), None, None),
    of("i4", "integer(c_int32_t)", Some("int32"), None, Some("4")),
    of("i8", "integer(c_int64_t)", Some("int64"), None, Some("8")),
    of("r4", "real(c_float)", Some("float"), None, Some("4")),
    of("r8", "real(c_double)", Some("double"), None, Some("8")),
    of("c4", "complex(c_float)", Some("complexf"), Some("64"), Some("8")),
    of("c8", "complex(c_double)", Some("complexd"), Some("128"), Some("128")),
];

pub(super) struct Body {
    name: String,
    args: Vec<String>,
    result: Option<String>,
    binding: Option<String>,
    /// Declarations with the variables that they declare.
    lines: Vec<(String, Vec<String>)>,
    choices: Vec<String>,
}

impl Body {
    pub(super) fn new(name: &str, binding: Option<&str>) -> Body {
        let (name, binding) = (name.to_owned(), binding.map(str::to_owned));
        Body { name, args: Vec::new(), result: None, binding, lines: Vec::new(), choices: Vec::new() }
    }

    pub(super) fn arg(&mut self, name: &str, declared: &str, shape: &str) {
        self.args.push(name.to_owned());
        let variable = format!("{name}{shape}");
        match self.lines.iter_mut().find(|(known, _)| known == declared) {
            Some((_, variables)) => variables.push(variable),
            None => self.lines.push((declared.to_owned(), vec![variable])),
        }
    }

    /// A variable of any type and rank.
    pub(super) fn choice(&mut self, name: &str) {
        self.choices.push(name.to_owned());
        self.arg(name, "type(*)", "(*)");
    }

    pub(super) fn result(&mut self, declared: &str) {
        self.result = Some(declared.to_owned());
    }

    pub(super) fn text(&self) -> String {
        let kind = if self.result.is_some() { "function" } else { "subroutine" };
        let binding = self.binding.as_ref().map_or_else(String::new, |name| format!(" bind(C, name=\"{name}\")"));
        let result = if self.result.is_some() { " result(answer)" } else { "" };
        let head = format!("    {kind} {}(", self.name);
        let mut text = wrapped(&head, &self.args.join(", "), &format!("){result}{binding}"));
        text += "      import\n";
        for line in self.choices() {
            text += &format!("      {line}\n");
        }
        for (declared, variables) in &self.lines {
            text += &format!("      {declared} :: {}\n", variables.join(", "));
        }
        if let Some(result) = &self.result {
            text += &format!("      {result} :: answer\n");
        }
        text + &format!("    end {kind}\n")
    }

    /// Directives that make compilers ignore the type and rank of an argument: the standard's `type(*), dimension(*)` accepts any type, but
    /// no scalar.
    fn choices(&self) -> Vec<String> {
        if self.choices.is_empty() {
            return Vec::new();
        }
        let names = self.choices.join(", ");
        ["!GCC$ ATTRIBUTES NO_ARG_CHECK ::", "!DEC$ ATTRIBUTES NO_ARG_CHECK ::", "!DIR$ IGNORE_TKR"]
            .map(|how| format!("{how} {names}"))
            .to_vec()
    }
}

/// A statement, with continuation lines if it is long.
fn wrapped(head: &str, middle: &str, tail: &str) -> String {
    let whole = format!("{head}{middle}{tail}\n");
    if whole.len() <= 120 {
        return whole;
    }
    format!("{head} &\n        {middle} &\n        {tail}\n")
}

/// The body of a procedure of the Fortran interface.
pub(super) fn procedure(procedure: &Procedure) -> String {
    let mut body = Body::new(&procedure.name, None);
    for &(name, role) in &procedure.args {
        let element = procedure.element;
        match role {
            // A lock may be of kind 8 as well.
            Role::Choice | Role::Lock => body.choice(name),
            Role::Object => body.arg(name, element, ""),
            Role::Value => body.arg(name, &format!("{element}, intent(in)"), ""),
            Role::Integer => body.arg(name, "integer, intent(in)", ""),
            Role::Out => body.arg(name, "integer, intent(out)", ""),
            Role::Long => body.arg(name, "integer(c_int64_t), intent(in)", ""),
            Role::LongOut => body.arg(name, "integer(c_int64_t), intent(out)", ""),
            Role::Longs => body.arg(name, "integer(c_int64_t)", "(*)"),
            Role::Signal => body.arg(name, "integer(c_int64_t)", ""),
            Role::Pointer => body.arg(name, "integer(c_intptr_t)", ""),
            Role::Psync => body.arg(name, "integer", "(*)"),
            Role::Text => body.arg(name, "character(*), intent(out)", ""),
            Role::Team => body.arg(name, "integer(shmem_handle), intent(in)", ""),
            Role::NewTeam => body.arg(name, "integer(shmem_handle), intent(inout)", ""),
        }
    }
    match procedure.returned {
        None => {}
        Some(Returned::Integer) => body.result("integer"),
        Some(Returned::Logical) => body.result("logical"),
        Some(Returned::Address) => body.result("integer(c_intptr_t)"),
        Some(Returned::Long) => body.result("integer(c_int64_t)"),
        Some(Returned::Double) => body.result("double precision"),
        Some(Returned::Value) => body.result(procedure.element),
    }
    body.text()
}

/// The body of a C routine, named `name`, whose elements are of type `element`, in arrays of rank `rank`.
pub(super) fn routine(symbol: &Symbol, name: &str, element: Option<&str>, rank: usize) -> String {
    let mut body = Body::new(name, Some(&symbol.name));
    for arg in &symbol.args {
        argument(&mut body, symbol, arg, element, rank);
    }
    match symbol.result.as_str() {
        "void" => {}
        "void *" => body.result("type(c_ptr)"),
        c if element.is_some() && Some(c) == symbol.element.map(|e| e.c) => body.result(element.unwrap_or_default()),
        c => body.result(by_value(c).unwrap_or_else(|| panic!("{}: a result of type {c}", symbol.name))),
    }
    body.text()
}

fn argument(body: &mut Body, symbol: &Symbol, arg: &CArg, element: Option<&str>, rank: usize) {
    let name = arg.name.as_str();
    let target = arg.c.trim_end_matches('*').trim_end().trim_start_matches("const ");
    let (pointer, constant) = (arg.c.ends_with('*'), arg.c.starts_with("const "));
    let is_element = symbol.element.map_or(target == "void" && element.is_some(), |e| e.c == target);
    match (pointer, element) {
        (true, Some(element)) if is_element => {
            let shape = match rank {
                0 => "".to_owned(),
                rank => format!("({}*)", "1,".repeat(rank - 1)),
            };
            return body.arg(name, element, &shape);
        }
        (false, Some(element)) if is_element => return body.arg(name, &format!("{element}, value"), ""),
        _ => {}
    }
    match (pointer, target) {
        // Memory that the library allocated.
        (true, "void") if name == "ptr" => body.arg(name, "type(c_ptr), value", ""),
        (true, "void") => body.choice(name),
        (true, "int") if constant && name == "status" => body.arg(name, "integer(c_int), intent(in), optional", "(*)"),
        (true, "int") if constant => body.arg(name, "integer(c_int), intent(in)", "(*)"),
        (true, "int") => body.arg(name, "integer(c_int), intent(out)", ""),
        (true, "size_t") => body.arg(name, "integer(c_size_t), intent(out)", "(*)"),
        (true, "uint64_t") => body.arg(name, "integer(c_int64_t)", ""),
        (true, "shmem_ctx_t" | "shmem_team_t") => body.arg(name, "integer(shmem_handle), intent(out)", ""),
        (true, "shmem_space_t") => body.arg(name, "type(c_ptr), intent(out)", ""),
        (true, "shmem_space_config_t") => body.arg(name, "type(shmem_space_config_t), intent(in)", ""),
        (true, config) if config.ends_with("config_t") && constant => {
            body.arg(name, &format!("type({config}), intent(in), optional"), "");
        }
        (true, config) if config.ends_with("config_t") => body.arg(name, &format!("type({config}), intent(out)"), ""),
        (false, c) if by_value(c).is_some() => {
            body.arg(name, &format!("{}, value", by_value(c).unwrap_or_default()), "");
        }
        _ => panic!("{}: {name} is of type {}, which has no Fortran spelling here", symbol.name, arg.c),
    }
}

/// The Fortran declaration of a type that C passes by value.
fn by_value(c: &str) -> Option<&'static str> {
    Some(match c {
        "int" => "integer(c_int)",
        "long" => "integer(c_long)",
        "size_t" => "integer(c_size_t)",
        "ptrdiff_t" => "integer(c_intptr_t)",
        "uint64_t" => "integer(c_int64_t)",
        "shmem_ctx_t" | "shmem_team_t" => "integer(shmem_handle)",
        "shmem_space_t" => "type(c_ptr)",
        _ => return None,
    })
}
