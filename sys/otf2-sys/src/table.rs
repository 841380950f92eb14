//! Loads the library, and the table of its functions.

use crate::Error;
use libc::{c_char, c_int, c_void};
use std::{ffi::CStr, path::Path};

/// The names by which the dynamic linker finds the library: its makers' and Debian's. The number in them stands for OTF2 3.
pub const FILES: [&str; 2] = ["libotf2.so.10", "libopen-trace-format2.so.10"];

/// The versions that are accepted, in prose.
pub const ACCEPTED: &str = "OTF2 3";

/// An archive of the library.
pub(crate) type Handle = *mut c_void;
/// A writer of events or definitions.
pub(crate) type Writer = *mut c_void;
/// Attributes of an event, which are always null here.
pub(crate) type Attributes = *const c_void;
/// Error callback. Its arguments are data, file, line, function, error, format, and a `va_list`, which both of the processors that the
/// library is made for here pass by its address.
pub(crate) type OnError = Option<
    unsafe extern "C" fn(*mut c_void, *const c_char, u64, *const c_char, c_int, *const c_char, *mut c_void) -> c_int,
>;

/// Called before and after the library writes its buffers to files.
#[repr(C)]
pub(crate) struct FlushCallbacks {
    pub before: unsafe extern "C" fn(*mut c_void, u8, u64, *mut c_void, bool) -> u8,
    pub after: unsafe extern "C" fn(*mut c_void, u8, u64) -> u64,
}

/// A function's name, and the sizes in bytes of its result and of each argument.
pub type Function = (&'static CStr, usize, &'static [usize]);

macro_rules! functions {
    ($( fn $name:ident = $symbol:literal ( $($type:ty),* ) -> $back:ty; )*) => {
        /// OTF2's library, loaded.
        #[derive(Clone, Copy, Debug)]
        pub struct Library {
            $( pub(crate) $name: unsafe extern "C" fn($($type),*) -> $back, )*
        }

        impl Library {
            /// The functions, for a comparison with a header.
            pub const FUNCTIONS: &[Function] =
                &[$( ($symbol, size_of::<$back>(), &[$( size_of::<$type>() ),*]), )*];

            fn of(library: &dl::Library) -> Result<Self, Error> {
                Ok(Library { $( $name: {
                    let address = library.symbol($symbol, None)?.as_ptr();
                    // SAFETY: OTF2 3 gives the function of this name this type.
                    unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> $back>(address) }
                }, )* })
            }
        }
    };
}

functions! {
    fn describe = c"OTF2_Error_GetDescription"(c_int) -> *const c_char;
    fn on_error = c"OTF2_Error_RegisterCallback"(OnError, *mut c_void) -> OnError;
    fn open = c"OTF2_Archive_Open"(*const c_char, *const c_char, u8, u64, u64, u8, u8) -> Handle;
    fn close = c"OTF2_Archive_Close"(Handle) -> c_int;
    fn set_flush = c"OTF2_Archive_SetFlushCallbacks"(Handle, *const FlushCallbacks, *mut c_void) -> c_int;
    fn set_serial = c"OTF2_Archive_SetSerialCollectiveCallbacks"(Handle) -> c_int;
    fn set_creator = c"OTF2_Archive_SetCreator"(Handle, *const c_char) -> c_int;
    fn set_description = c"OTF2_Archive_SetDescription"(Handle, *const c_char) -> c_int;
    fn open_events = c"OTF2_Archive_OpenEvtFiles"(Handle) -> c_int;
    fn close_events = c"OTF2_Archive_CloseEvtFiles"(Handle) -> c_int;
    fn event_writer = c"OTF2_Archive_GetEvtWriter"(Handle, u64) -> Writer;
    fn event_count = c"OTF2_EvtWriter_GetNumberOfEvents"(Writer, *mut u64) -> c_int;
    fn close_event_writer = c"OTF2_Archive_CloseEvtWriter"(Handle, Writer) -> c_int;
    fn open_definitions = c"OTF2_Archive_OpenDefFiles"(Handle) -> c_int;
    fn close_definitions = c"OTF2_Archive_CloseDefFiles"(Handle) -> c_int;
    fn definition_writer = c"OTF2_Archive_GetDefWriter"(Handle, u64) -> Writer;
    fn close_definition_writer = c"OTF2_Archive_CloseDefWriter"(Handle, Writer) -> c_int;
    fn global_writer = c"OTF2_Archive_GetGlobalDefWriter"(Handle) -> Writer;

    fn enter = c"OTF2_EvtWriter_Enter"(Writer, Attributes, u64, u32) -> c_int;
    fn leave = c"OTF2_EvtWriter_Leave"(Writer, Attributes, u64, u32) -> c_int;
    fn window_create = c"OTF2_EvtWriter_RmaWinCreate"(Writer, Attributes, u64, u32) -> c_int;
    fn window_destroy = c"OTF2_EvtWriter_RmaWinDestroy"(Writer, Attributes, u64, u32) -> c_int;
    fn put = c"OTF2_EvtWriter_RmaPut"(Writer, Attributes, u64, u32, u32, u64, u64) -> c_int;
    fn get = c"OTF2_EvtWriter_RmaGet"(Writer, Attributes, u64, u32, u32, u64, u64) -> c_int;
    fn atomic = c"OTF2_EvtWriter_RmaAtomic"(Writer, Attributes, u64, u32, u32, u8, u64, u64, u64) -> c_int;
    fn complete = c"OTF2_EvtWriter_RmaOpCompleteBlocking"(Writer, Attributes, u64, u32, u64) -> c_int;
    fn complete_later = c"OTF2_EvtWriter_RmaOpCompleteNonBlocking"(Writer, Attributes, u64, u32, u64) -> c_int;
    fn collective_begin = c"OTF2_EvtWriter_RmaCollectiveBegin"(Writer, Attributes, u64) -> c_int;
    fn collective_end = c"OTF2_EvtWriter_RmaCollectiveEnd"(Writer, Attributes, u64, u8, u32, u32, u32, u64, u64) -> c_int;

    fn clock = c"OTF2_GlobalDefWriter_WriteClockProperties"(Writer, u64, u64, u64, u64) -> c_int;
    fn string = c"OTF2_GlobalDefWriter_WriteString"(Writer, u32, *const c_char) -> c_int;
    fn region = c"OTF2_GlobalDefWriter_WriteRegion"(Writer, u32, u32, u32, u32, u8, u8, u32, u32, u32, u32) -> c_int;
    fn node = c"OTF2_GlobalDefWriter_WriteSystemTreeNode"(Writer, u32, u32, u32, u32) -> c_int;
    fn process = c"OTF2_GlobalDefWriter_WriteLocationGroup"(Writer, u32, u32, u8, u32, u32) -> c_int;
    fn location = c"OTF2_GlobalDefWriter_WriteLocation"(Writer, u64, u32, u8, u64, u32) -> c_int;
    fn group = c"OTF2_GlobalDefWriter_WriteGroup"(Writer, u32, u32, u8, u8, u32, u32, *const u64) -> c_int;
    fn communicator = c"OTF2_GlobalDefWriter_WriteComm"(Writer, u32, u32, u32, u32, u32) -> c_int;
    fn window = c"OTF2_GlobalDefWriter_WriteRmaWin"(Writer, u32, u32, u32, u32) -> c_int;
}

impl Library {
    /// Loads OTF2 from `file`, or from where the dynamic linker finds it. A second call finds it loaded.
    pub fn open(file: Option<&Path>) -> Result<Library, Error> {
        let load = |file: &Path| Library::of(&dl::Library::open(file, ACCEPTED)?);
        match file {
            Some(file) => load(file),
            // If neither file is found, report the error for the makers' name.
            None => load(FILES[0].as_ref()).or_else(|error| load(FILES[1].as_ref()).map_err(|_| error)),
        }
    }
}
