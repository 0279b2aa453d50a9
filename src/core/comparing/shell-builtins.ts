/** Commands that a shell executes itself. */
export const SHELL_BUILTINS: ReadonlySet<string> = new Set(
  '. : [ [[ alias bg break builtin cd command continue declare dirs echo eval exec exit export false fg getopts hash jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return select set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait'.split(
    ' ',
  ),
)
