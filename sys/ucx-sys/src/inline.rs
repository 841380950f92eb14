//! The macros of UCX's headers, as functions and constants.

use crate::bindings::*;

/// True if a call's answer is an error, and neither a request nor success (null).
#[inline]
pub fn is_err(answer: ucs_status_ptr_t) -> bool {
    answer.addr() >= UCS_ERR_LAST as isize as usize
}

/// True if a call's answer is a request: an operation that is still in progress.
#[inline]
pub fn is_request(answer: ucs_status_ptr_t) -> bool {
    !answer.is_null() && !is_err(answer)
}

/// The status in a call's answer: `UCS_INPROGRESS` if it is a request.
#[inline]
pub fn status_of(answer: ucs_status_ptr_t) -> ucs_status_t {
    if is_request(answer) { UCS_INPROGRESS } else { answer.addr() as isize as ucs_status_t }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer_of(status: ucs_status_t) -> ucs_status_ptr_t {
        std::ptr::without_provenance_mut(status as isize as usize)
    }

    #[test]
    fn answers_are_told_apart() {
        let rows = [
            (std::ptr::null_mut(), false, false, UCS_OK),
            (answer_of(UCS_ERR_NO_MESSAGE), true, false, UCS_ERR_NO_MESSAGE),
            (answer_of(UCS_ERR_LAST), true, false, UCS_ERR_LAST),
            (std::ptr::without_provenance_mut(usize::MAX - 100), false, true, UCS_INPROGRESS),
            (std::ptr::without_provenance_mut(0x7fff_0000_0000), false, true, UCS_INPROGRESS),
            (std::ptr::without_provenance_mut(8), false, true, UCS_INPROGRESS),
        ];
        for (answer, error, request, status) in rows {
            assert_eq!((is_err(answer), is_request(answer), status_of(answer)), (error, request, status), "{answer:?}");
        }
    }
}
