/** By these links many systems choose between programs of one purpose: what is in /usr leads here. */
export const ALTERNATIVES = '/etc/alternatives'
