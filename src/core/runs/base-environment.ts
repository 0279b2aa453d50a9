/** The whole environment of a run, but for its folders and what its operator hands through. */
export const BASE_ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LANG: 'C.UTF-8',
}
