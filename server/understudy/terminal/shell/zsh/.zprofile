# Reads the user's own file as if it had been found by zsh.

if ((__understudy_had_zdotdir)); then
  ZDOTDIR=$__understudy_zdotdir
else
  builtin unset ZDOTDIR
fi
[[ -r ${ZDOTDIR:-$HOME}/.zprofile ]] && . "${ZDOTDIR:-$HOME}/.zprofile"
__understudy_had_zdotdir=${+ZDOTDIR}
__understudy_zdotdir=${ZDOTDIR-}
ZDOTDIR=$__understudy_folder
