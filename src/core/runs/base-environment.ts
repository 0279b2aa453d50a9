/** Base environment of a run, without its folders and passed-through variables. */
export const BASE_ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LANG: 'C.UTF-8',
}
