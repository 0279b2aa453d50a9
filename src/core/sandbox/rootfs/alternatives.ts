/** Symlinks in /usr lead here on systems with update-alternatives. */
export const ALTERNATIVES = '/etc/alternatives'
