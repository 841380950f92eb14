! Heat diffusion on a plate whose rim is kept at 0, by the explicit five-point scheme. The plate is divided into blocks, one
! for each PE of a grid of PEs. In every step a PE puts the rim of its block into the halo of each neighbour together with a
! signal, and waits for the signals of its neighbours: no barrier. Two halos are used in turn: a neighbour that has sent the
! halo of step k + 1 has finished with mine of step k, so step k + 2 may overwrite it.
!
! The plate starts as two waves, which the scheme damps by a factor known in advance: every cell is checked.
!
!   oshfort heat.f90 -o heat && oshrun -n 4 ./heat --rows 1000 --columns 1000 --steps 100
module plate
  use shmem
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  integer, parameter :: north = 1, south = 2, west = 3, east = 4, opposite(4) = [south, north, east, west]
  real(8), parameter :: pi = acos(-1d0), rate = 0.2d0
  integer :: rows = 256, columns = 256, steps = 100 ! of the whole plate
  integer :: height, width, top, left               ! my block, and the position before its first cell
  integer :: neighbour(4)                           ! numbers in the world; -1 at the rim of the plate
  real(8), pointer, contiguous, asynchronous :: halo(:, :, :) ! halos put by neighbours: cells, in two turns, on four sides
  integer(c_int64_t), save, asynchronous :: arrived(4) = 0 ! by side: the last step whose halo has arrived
contains
  ! End the job on all PEs, before the computation starts.
  subroutine leave(status, text)
    integer, intent(in) :: status
    character(*), intent(in) :: text
    if (shmem_my_pe() == 0 .and. status == 0) print '(a)', text
    if (shmem_my_pe() == 0 .and. status /= 0) write (error_unit, '(2a)') 'heat: ', text
    call shmem_finalize()
    if (status /= 0) stop 2, quiet=.true.
    stop
  end subroutine

  subroutine read_options()
    character(32) :: word, number
    integer :: i, given, failed
    do i = 1, command_argument_count(), 2
      call get_command_argument(i, word)
      call get_command_argument(i + 1, number)
      if (word == '--help') call leave(0, 'heat on a plate, with an exchange of halos: oshrun -n PES heat '// &
          '[--rows 256] [--columns 256] [--steps 100]')
      read (number, *, iostat=failed) given
      if (failed /= 0) given = 0
      select case (word)
      case ('--rows')
        rows = given
      case ('--columns')
        columns = given
      case ('--steps')
        steps = given
      case default
        call leave(2, 'there is no option '//trim(word)//'; --help lists those there are')
      end select
      if (given < 1) call leave(2, trim(word)//" is '"//trim(number)//"', but should be a number from 1")
    end do
  end subroutine

  ! The position of this PE in the grid of PEs, and its neighbours.
  subroutine find_neighbours()
    integer(shmem_handle) :: row, column
    integer :: n, across, down, x, y, failed
    n = shmem_n_pes()
    down = 1
    do x = 1, n
      if (x * x <= n .and. mod(n, x) == 0) down = x
    end do
    across = n / down
    if (columns < across .or. rows < down) call leave(2, 'the plate has fewer rows or columns than the grid of PEs')
    failed = shmem_team_split_2d(SHMEM_TEAM_WORLD, across, xaxis_mask=0_c_long, xaxis_team=row, yaxis_mask=0_c_long, &
        yaxis_team=column)
    if (failed /= 0) call leave(2, 'the world cannot be split into rows and columns')
    x = shmem_team_my_pe(row)
    y = shmem_team_my_pe(column)
    neighbour(west) = shmem_team_translate_pe(row, x - 1, SHMEM_TEAM_WORLD)
    neighbour(east) = shmem_team_translate_pe(row, x + 1, SHMEM_TEAM_WORLD)
    neighbour(north) = shmem_team_translate_pe(column, y - 1, SHMEM_TEAM_WORLD)
    neighbour(south) = shmem_team_translate_pe(column, y + 1, SHMEM_TEAM_WORLD)
    call shmem_team_destroy(row)
    call shmem_team_destroy(column)
    top = int(int(rows, 8) * y / down)
    height = int(int(rows, 8) * (y + 1) / down) - top
    left = int(int(columns, 8) * x / across)
    width = int(int(columns, 8) * (x + 1) / across) - left
  end subroutine

  ! A wave with p antinodes down and q across, at a cell of my block.
  elemental function wave(p, q, i, j)
    integer, intent(in) :: p, q, i, j
    real(8) :: wave
    wave = sin(pi * p * (top + i) / (rows + 1)) * sin(pi * q * (left + j) / (columns + 1))
  end function

  ! The factor by which a step multiplies the wave: it is an eigenvector of the scheme.
  function damping(p, q)
    integer, intent(in) :: p, q
    real(8) :: damping
    damping = 1 - 4 * rate * (sin(pi * p / (2 * (rows + 1d0)))**2 + sin(pi * q / (2 * (columns + 1d0)))**2)
  end function

  ! Put the rim of the block into the neighbours' halos of this step.
  subroutine send_rim(cells, step)
    real(8), intent(in) :: cells(0:height + 1, 0:width + 1)
    integer, intent(in) :: step
    real(8) :: rim(max(height, width))
    integer :: side, length
    ! Halos and signals of the previous step may still be in transit, and must not arrive after these.
    call shmem_fence()
    do side = north, east
      if (neighbour(side) < 0) cycle
      length = merge(width, height, side <= south)
      select case (side)
      case (north)
        rim(:length) = cells(1, 1:width)
      case (south)
        rim(:length) = cells(height, 1:width)
      case (west)
        rim(:length) = cells(1:height, 1)
      case (east)
        rim(:length) = cells(1:height, width)
      end select
      call shmem_put_signal(halo(:, mod(step, 2) + 1, opposite(side)), rim, int(length, c_size_t), &
          arrived(opposite(side)), int(step, c_int64_t), SHMEM_SIGNAL_SET_OP, neighbour(side))
    end do
  end subroutine

  ! Wait for the halos of this step, and copy them around the block.
  subroutine take_halo(cells, step)
    real(8), intent(inout) :: cells(0:height + 1, 0:width + 1)
    integer, intent(in) :: step
    integer(c_int64_t) :: seen
    integer :: side, turn
    turn = mod(step, 2) + 1
    do side = north, east
      if (neighbour(side) < 0) cycle
      seen = shmem_signal_wait_until(arrived(side), SHMEM_CMP_GE, int(step, c_int64_t))
      select case (side)
      case (north)
        cells(0, 1:width) = halo(:width, turn, side)
      case (south)
        cells(height + 1, 1:width) = halo(:width, turn, side)
      case (west)
        cells(1:height, 0) = halo(:height, turn, side)
      case (east)
        cells(1:height, width + 1) = halo(:height, turn, side)
      end select
    end do
  end subroutine
end module

program heat
  use plate
  implicit none
  real(8), allocatable :: cells(:, :), next(:, :)
  real(8), save :: took, slowest, cells_done
  integer(8), save :: wrong, all_wrong, longest, longest_of_all
  type(c_ptr) :: memory
  integer :: i, j, step, failed

  call shmem_init()
  call read_options()
  call find_neighbours()
  longest = max(height, width)
  failed = shmem_max_reduce(SHMEM_TEAM_WORLD, longest_of_all, longest, 1_c_size_t)
  memory = shmem_calloc(int(longest_of_all * 8, c_size_t), 8_c_size_t)
  if (.not. c_associated(memory)) call leave(2, 'there is not enough symmetric memory')
  call c_f_pointer(memory, halo, [int(longest_of_all), 2, 4])

  allocate (cells(0:height + 1, 0:width + 1), next(0:height + 1, 0:width + 1), source=0d0)
  do j = 1, width
    do i = 1, height
      cells(i, j) = wave(1, 1, i, j) + wave(3, 2, i, j)
    end do
  end do

  call shmem_barrier_all()
  took = -shmemx_wtime()
  do step = 1, steps
    call send_rim(cells, step)
    call take_halo(cells, step)
    do j = 1, width
      do i = 1, height
        next(i, j) = cells(i, j) + rate * (cells(i - 1, j) + cells(i + 1, j) + cells(i, j - 1) + cells(i, j + 1) &
            - 4 * cells(i, j))
      end do
    end do
    cells(1:height, 1:width) = next(1:height, 1:width)
  end do
  took = took + shmemx_wtime()
  failed = shmem_max_reduce(SHMEM_TEAM_WORLD, slowest, took, 1_c_size_t)

  wrong = 0
  do j = 1, width
    do i = 1, height
      if (.not. abs(cells(i, j) - damping(1, 1)**steps * wave(1, 1, i, j) - damping(3, 2)**steps * wave(3, 2, i, j)) &
          <= 1d-10) wrong = wrong + 1
    end do
  end do
  failed = shmem_sum_reduce(SHMEM_TEAM_WORLD, all_wrong, wrong, 1_c_size_t)
  cells_done = real(rows, 8) * columns * steps
  if (shmem_my_pe() == 0 .and. all_wrong == 0) &
      print '(a,es12.6,a,es12.6,4(a,i0))', 'figure program=heat value=', cells_done / slowest / 1d6, &
      ' unit=Mcells/s seconds=', slowest, ' pes=', shmem_n_pes(), ' rows=', rows, ' columns=', columns, ' steps=', steps
  if (shmem_my_pe() == 0 .and. all_wrong /= 0) write (error_unit, '(a,i0,a)') 'heat: ', all_wrong, ' results are wrong'
  call shmem_free(memory)
  call shmem_finalize()
  if (all_wrong /= 0) stop 1, quiet=.true.
end program
