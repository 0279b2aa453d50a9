// The default theme with the fonts of the reader's system.
import './style.css'

export { default } from 'vitepress/theme-without-fonts'
