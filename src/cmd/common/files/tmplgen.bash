# Completion of tmplgen for bash 3.2 and newer.

# Adds a whole word as a candidate, with what ends it: a blank, unless there is more to come.
_tmplgen_add() {
    local value=${1#"$keep"} end=$2
    if [[ -n $quote ]]; then
        # bash ends the quote, and changes nothing in it.
        [[ $value != *[\$\`\"\'\\!]* ]] || return
        end=${end% }
    elif [[ $value == *[!A-Za-z0-9._=:,+/@%-]* ]]; then
        printf -v value %q "$value"
    fi
    COMPREPLY[${#COMPREPLY[@]}]=$value$end
}

# Adds what lies on the disk, after the part $1 of the word.
_tmplgen_paths() {
    local path kind=$2 typed=${words[count - 1]}
    typed=${typed#"$1"}
    while IFS= read -r path; do
        if [[ -d $path ]]; then
            _tmplgen_add "$1$path" /
        else
            _tmplgen_add "$1$path" ' '
        fi
    done < <(compgen "$kind" -- "${typed/#\~\//$HOME/}")
}

_tmplgen() {
    local line=${COMP_LINE:0:COMP_POINT} program=${COMP_WORDS[0]/#\~\//$HOME/}
    # A relative path may lead to a program of a foreign folder: a Tab must not run that.
    [[ ($program == /* || $program != */*) && -n $(type -P "$program") ]] || program=tmplgen
    local words=() count=0 i gap token keep quote='' value rest
    # bash splits at '=' and ':', too. A word begins where the line has a blank before it.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        gap=${line%%[![:blank:]]*}
        line=${line#"$gap"}
        token=${COMP_WORDS[i]}
        ((i < COMP_CWORD)) || token=$line
        line=${line#"$token"}
        [[ $i == 0 || -n $gap ]] && count=$((count + 1))
        words[count - 1]=${words[count - 1]-}$token
    done
    # What is typed of the word, without the part that bash replaces, stays.
    keep=${words[count - 1]%"$2"}
    case $keep$2 in "$keep"[\"\']* | *[\"\']"$2") quote=1 ;; esac
    for ((i = 0; i < count; i++)); do
        words[i]=${words[i]//[\"\'\\]/}
    done
    keep=${keep//[\"\'\\]/}
    COMPREPLY=()
    while IFS=$'\t' read -r value rest; do
        case $value in
        :files) _tmplgen_paths "$rest" -f ;;
        :folders) _tmplgen_paths "$rest" -d ;;
        :*) ;;
        *=) _tmplgen_add "$value" '' ;;
        *) _tmplgen_add "$value" ' ' ;;
        esac
    done < <("$program" __complete "${words[@]:1:count-1}" 2>/dev/null)
}

complete -o nospace -F _tmplgen tmplgen
