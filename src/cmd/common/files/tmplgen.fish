# Completion of tmplgen for fish.

function __tmplgen_complete
    set -l words (commandline -opc)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    set -l typed (commandline -ct)
    # A relative path may lead to a program of a foreign folder: a Tab must not run that.
    string match -qr '^/|^[^/]*$' -- $program; and command -s $program >/dev/null; or set program tmplgen
    type -q $program; or return
    # An open quote cannot be unescaped.
    set typed (string unescape -- "$typed"; or string trim -l -c "'\"" -- "$typed")
    for line in ($program __complete $words[2..-1] "$typed" 2>/dev/null)
        set -l parts (string split -m 1 \t -- $line)
        switch $parts[1]
            case ':files' ':folders'
                set -l path (string sub -s (math (string length -- "$parts[2]") + 1) -- "$typed")
                set -l found
                if test $parts[1] = ':files'
                    set found (__fish_complete_path "$path")
                else
                    set found (__fish_complete_directories "$path" '')
                end
                for one in $found
                    echo -- "$parts[2]$one"
                end
            case ':*'
            case '*'
                echo -- $line
        end
    end
end

complete -c tmplgen -e
complete -c tmplgen -k -f -a '(__tmplgen_complete)'
# What begins at home can only be a path, and fish alone writes it so.
complete -c tmplgen -F -n "string match -qr '^(--[a-z-]+=)?~' -- (commandline -ct)"
