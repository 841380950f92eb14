//! The attributes of `ferrite-shmem`. They do not change the function: it is nested, unchanged, in a function that creates a world and
//! calls it. This needs only the function's name, so there is no dependency on a Rust parser that dependent programs would have to compile.

#![deny(missing_docs)]

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Makes `fn main(world: &World)` the program's main function: it initialises the library, calls the function, and finalizes. An
/// `Err` ends the job with status 1, naming the PE.
#[proc_macro_attribute]
pub fn main(options: TokenStream, item: TokenStream) -> TokenStream {
    if !options.is_empty() {
        return error("#[ferrite::main] takes no options");
    }
    match Function::of(item) {
        Ok(function) => function.within("::ferrite::__private::run(NAME)"),
        Err(why) => error(why),
    }
}

/// Makes `fn name(world: &World)` a test that runs on PEs which are threads: `#[ferrite::test(pes = 4)]`, or 2 without a number.
#[proc_macro_attribute]
pub fn test(options: TokenStream, item: TokenStream) -> TokenStream {
    let pes = match pes(options) {
        Ok(pes) => pes,
        Err(why) => return error(why),
    };
    match Function::of(item) {
        Ok(function) => function.within(&format!("::ferrite::__private::test({pes}, NAME)")).into_iter().fold(
            attribute("#[::core::prelude::v1::test]"),
            |mut all, token| {
                all.extend([token]);
                all
            },
        ),
        Err(why) => error(why),
    }
}

/// The number in `pes = 4`.
fn pes(options: TokenStream) -> Result<u32, &'static str> {
    const WRONG: &str = "#[ferrite::test] takes the number of PEs, as #[ferrite::test(pes = 4)]";
    let mut tokens = options.into_iter();
    let Some(first) = tokens.next() else { return Ok(2) };
    let [equals, number] = [tokens.next(), tokens.next()].map(|token| token.map(|token| token.to_string()));
    if first.to_string() != "pes" || equals.as_deref() != Some("=") || tokens.next().is_some() {
        return Err(WRONG);
    }
    number.and_then(|number| number.parse().ok()).filter(|&pes| pes > 0).ok_or(WRONG)
}

/// A function's tokens, split at the points that the attributes need.
struct Function {
    /// Attributes and visibility.
    before: TokenStream,
    /// From `fn` to the end of its body.
    whole: TokenStream,
    name: TokenTree,
}

impl Function {
    fn of(item: TokenStream) -> Result<Function, &'static str> {
        let mut tokens = item.into_iter();
        let mut before = TokenStream::new();
        loop {
            match tokens.next() {
                Some(TokenTree::Ident(word)) if word.to_string() == "fn" => {
                    let name = tokens.next().ok_or("a function has a name")?;
                    let mut whole = TokenStream::from_iter([TokenTree::Ident(word), name.clone()]);
                    whole.extend(tokens);
                    return Ok(Function { before, whole, name });
                }
                Some(TokenTree::Ident(word)) if word.to_string() == "async" => {
                    return Err(
                        "an async fn cannot be a PE by itself; wait in it by World::block_on, or by an executor",
                    );
                }
                Some(token) => before.extend([token]),
                None => return Err("this attribute belongs above a function that takes `world: &World`"),
            }
        }
    }

    /// The function nested in one of the same name that takes no arguments and ends with `call`.
    fn within(self, call: &str) -> TokenStream {
        let name = self.name.to_string();
        let call: TokenStream = call.replace("NAME", &name).parse().expect("a call of a function");
        let mut body = self.whole;
        body.extend(call);
        let head: TokenStream = format!("fn {name}()").parse().expect("the head of a function");
        let mut all = self.before;
        all.extend(head);
        all.extend([TokenTree::Group(Group::new(Delimiter::Brace, body))]);
        all
    }
}

fn attribute(text: &str) -> TokenStream {
    text.parse().expect("an attribute")
}

fn error(why: &str) -> TokenStream {
    format!("::core::compile_error!({why:?});").parse().expect("an error")
}
